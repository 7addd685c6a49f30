package chat.load.check;

/** State of a message, from its sender's point of view, when the run ends. */
public enum Outcome {
    /** Never sent. */
    NOT_SENT,
    /** Sent, and neither accepted nor rejected: it may be stored or not. */
    UNKNOWN,
    /** Acknowledged. */
    ACCEPTED,
    /** Rejected for good by every server that received it: it must not be stored or delivered. */
    REFUSED
}
