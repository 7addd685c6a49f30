package chat.server.admission;

/** Told of each message that had to wait for its turn; on event loops, so it must be quick. */
@FunctionalInterface
public interface WaitListener {
    WaitListener NONE = (bound, nanos) -> {};

    /** It may go on, so long after it came. */
    void waited(RateScope bound, long nanos);
}
