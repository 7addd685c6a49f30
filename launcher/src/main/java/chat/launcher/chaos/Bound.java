package chat.launcher.chaos;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks the times of a fault.
 *
 * @param complaint why the times break the bound, for people; empty if they keep it
 */
public record Bound(Function<Outcome.Times, Optional<String>> complaint) {
    static final Bound REJECTED_AT_ONCE = atMost("time until a rejection", Outcome.Times::refusal, 1);
    /** Messages that cannot be published wait and are published later. */
    static final Bound NOTHING_REJECTED =
            new Bound(times -> times.refusals() == 0 && times.refusal().isZero()
                    ? Optional.empty()
                    : Optional.of("messages were rejected"));

    static final Bound MEMBERS_BACK = atMost("time until all members were connected", Outcome.Times::connected, 30);
    static final Bound LATENCY_BACK = atMost("time until p99 was normal", Outcome.Times::latency, 30);
    /** The server that takes over the rooms has already read their partitions. */
    static final Bound HARDLY_NOTICED = atMost("silence", Outcome.Times::silence, 5);

    static final Bound BROKER_BACK = atMost("time until messages were accepted", Outcome.Times::back, 30);
    static final Bound ALARM_OVER = atMost("time until messages were accepted", Outcome.Times::back, 5);
    /** New messages do not wait for rejected messages that clients retry. */
    static final Bound THEN_AS_BEFORE = atMost("silence after recovery", Outcome.Times::after, 3);
    /** The standby consumer notices after 5 s that the position does not move. */
    static final Bound FAILED_OVER = atMost("lag of the history", Outcome.Times::behind, 15);

    private static Bound atMost(String what, Function<Outcome.Times, Duration> of, int seconds) {
        return new Bound(times -> {
            Duration time = of.apply(times);
            if (time.compareTo(Duration.ofSeconds(seconds)) <= 0) return Optional.empty();
            return Optional.of(String.format(
                    Locale.ROOT, "%s was %.1f s; the limit is %d s", what, time.toMillis() / 1000.0, seconds));
        });
    }
}
