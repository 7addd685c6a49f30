package chat.persistence.rollup;

/**
 * The counted attributes of a message.
 *
 * @param millis the time of intake, since 1970
 * @param room its number
 * @param user the sender's number
 */
public record Event(long millis, int room, int user) {}
