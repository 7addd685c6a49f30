package chat.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The watch over the event loops does watch. */
class BlockingCallsTest {
    @Test
    void blockingCallOnANonBlockingThreadIsDetected() {
        Mono<Boolean> blocking = Mono.fromCallable(() -> new CountDownLatch(1).await(1, TimeUnit.MILLISECONDS))
                .subscribeOn(Schedulers.parallel());
        assertThatThrownBy(blocking::block).hasMessageContaining("Blocking call");
        assertThatThrownBy(BlockingCalls::assertNone).hasMessageContaining("park");
        BlockingCalls.forget();
    }
}
