package chat.log;

/** Names of the key-value fields of log lines. */
public final class LineFields {
    /** The id of a room. */
    public static final String ROOM = "confab.room";
    /** The number of a partition. */
    public static final String PARTITION = "confab.partition";
    /** A position, or the lower end of a range of them. */
    public static final String POSITION = "confab.position";
    /** The upper end of a range of positions. */
    public static final String POSITION_TO = "confab.position_to";
    /** The id of a session: one WebSocket on one server. */
    public static final String SESSION = "confab.session";
    /** The id of a dead letter. */
    public static final String DEAD_LETTER = "confab.dead_letter";
    /** Number of open sessions. */
    public static final String SESSIONS = "confab.sessions";
    /** Number of memberships: the rooms of each session, summed over all sessions. */
    public static final String MEMBERSHIPS = "confab.memberships";
    /** Messages accepted into the log per second. */
    public static final String ACCEPTED_PER_SECOND = "confab.accepted_per_second";
    /** Client objects rejected per second. */
    public static final String REFUSED_PER_SECOND = "confab.refused_per_second";
    /** Deliveries per second: messages times the members that they were sent to. */
    public static final String DELIVERIES_PER_SECOND = "confab.deliveries_per_second";
    /** Number of sessions closed because their client read too slowly. */
    public static final String CLOSED_SLOW = "confab.closed_slow";

    private LineFields() {}
}
