package chat.server.rate;

/** Told of each message that had to wait for its turn; on event loops, so it must be quick. */
@FunctionalInterface
public interface WaitWatch {
    WaitWatch NONE = (bound, nanos) -> {};

    /** It may go on, so long after it came. */
    void waited(Bound bound, long nanos);
}
