package chat.server.admission;

/** Receives the wait of each message that had to wait for a token; called on event loops, so it must be fast. */
@FunctionalInterface
public interface WaitListener {
    WaitListener NONE = (scope, nanos) -> {};

    /** The message was admitted this long after it arrived. */
    void waited(RateScope scope, long nanos);
}
