package chat.load.check;

/** What a sender knows of one of its messages when the run ends. */
public enum Outcome {
    /** Never sent. */
    NOT_SENT,
    /** Sent, and neither accepted nor refused: it may be stored or not. */
    UNKNOWN,
    /** Acknowledged. */
    ACCEPTED,
    /** Refused for good by every server that has seen it: it must be nowhere. */
    REFUSED
}
