package chat.server;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;
import reactor.netty.resources.LoopResources;

/** How late the threads are that read and write all sockets, by the name that docs/operations.md explains. */
@Configuration(proxyBeanMethods = false)
class EventLoopMetricsConfiguration {

    @Bean
    MeterBinder eventLoopMeters(ReactorResourceFactory resources) {
        return registry -> {
            Timer delays = Timer.builder("chat.event.loop.delay").register(registry);
            for (EventExecutor loop : resources.getLoopResources().onServer(LoopResources.DEFAULT_NATIVE))
                new EventLoopDelay(
                                (step, nanos) -> schedule(loop, step, nanos),
                                System::nanoTime,
                                nanos -> delays.record(nanos, TimeUnit.NANOSECONDS))
                        .start();
        };
    }

    private static void schedule(EventExecutor loop, Runnable step, long nanos) {
        try {
            loop.schedule(step, nanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException ended) {
            // The server has stopped.
        }
    }
}
