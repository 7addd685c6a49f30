package chat.launcher.chaos;

import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Checks the times of a fault.
 *
 * @param what the condition, for people
 * @param holds whether the condition holds for an outcome
 */
public record Bound(String what, Predicate<Outcome.Times> holds) {
    static final Bound REJECTED_AT_ONCE = atMost("time until a rejection", Outcome.Times::refusal, 1);
    /** Messages that cannot be published wait and are published later. */
    static final Bound NOTHING_REJECTED = new Bound(
            "no message is rejected",
            times -> times.refusals() == 0 && times.refusal().isZero());

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
        Duration most = Duration.ofSeconds(seconds);
        return new Bound(
                what + " at most " + seconds + " s", times -> of.apply(times).compareTo(most) <= 0);
    }
}
