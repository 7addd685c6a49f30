package chat.log;

/** Names of what a line in a program's own log carries besides its text, where it is about one of these. */
public final class LineFields {
    /** The id of a room. */
    public static final String ROOM = "confab.room";
    /** The number of a partition. */
    public static final String PARTITION = "confab.partition";
    /** A position, or the lower end of a range of them. */
    public static final String POSITION = "confab.position";
    /** The upper end of a range of positions. */
    public static final String POSITION_TO = "confab.position_to";
    /** One WebSocket on one server, as in all lines about it. */
    public static final String SESSION = "confab.session";
    /** The id of a dead letter. */
    public static final String DEAD_LETTER = "confab.dead_letter";
    /** Sockets now. */
    public static final String SESSIONS = "confab.sessions";
    /** Sessions times rooms that they are in now. */
    public static final String MEMBERSHIPS = "confab.memberships";
    /** Messages a second that got into the log. */
    public static final String ACCEPTED_PER_SECOND = "confab.accepted_per_second";
    /** Client objects a second that were refused. */
    public static final String REFUSED_PER_SECOND = "confab.refused_per_second";
    /** Messages times members they were sent to, a second. */
    public static final String DELIVERIES_PER_SECOND = "confab.deliveries_per_second";
    /** Sockets that were closed because they read too slowly. */
    public static final String CLOSED_SLOW = "confab.closed_slow";

    private LineFields() {}
}
