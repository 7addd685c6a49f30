package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.util.Throwables;
import reactor.core.publisher.Hooks;

/** Signals that Reactor dropped because the subscription had ended. */
final class DroppedSignals {
    private static final List<String> found = new CopyOnWriteArrayList<>();

    static {
        Hooks.onErrorDropped(error -> found.add("an error: " + Throwables.getStackTrace(error)));
        Hooks.onNextDropped(value -> found.add(
                "a value: " + value + ", " + Throwables.getStackTrace(new IllegalStateException("dropped here"))));
    }

    private DroppedSignals() {}

    /** From now on every one is noted. */
    static void watch() {
        // Loading this class does it.
    }

    /** Reports each finding once, not again in every later test. */
    static void assertNone() {
        List<String> told = List.copyOf(found);
        found.removeAll(told);
        assertThat(told).isEmpty();
    }
}
