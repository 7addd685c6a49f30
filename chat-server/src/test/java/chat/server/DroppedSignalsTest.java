package chat.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/** The watch over dropped signals does watch. */
class DroppedSignalsTest {
    @Test
    void signalsAfterTheEndAreDetected() {
        Flux.<String>from(subscriber -> {
                    subscriber.onSubscribe(Operators.emptySubscription());
                    subscriber.onComplete();
                    subscriber.onNext("too late");
                    subscriber.onError(new IllegalStateException("too late as well"));
                })
                .filter(unused -> true)
                .subscribe();
        assertThatThrownBy(DroppedSignals::assertNone)
                .hasMessageContaining("a value: too late, ")
                .hasMessageContaining("IllegalStateException: too late as well");
    }
}
