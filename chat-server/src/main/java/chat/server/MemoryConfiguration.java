package chat.server;

import chat.server.memory.IdleMemory;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Gives back the heap that an idle server does not need. */
@Configuration(proxyBeanMethods = false)
class MemoryConfiguration {

    @Bean(destroyMethod = "close")
    IdleMemory idleMemory(ChatServerProperties properties) {
        return new IdleMemory(properties.memory().settings()).start();
    }

    @Bean
    MeterBinder memoryMeters(IdleMemory memory) {
        return registry -> Gauge.builder("chat.memory.given.back", memory, of -> of.givesBack() ? 1 : 0)
                .register(registry);
    }
}
