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

    private LineFields() {}
}
