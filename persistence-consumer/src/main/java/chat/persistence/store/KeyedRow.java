package chat.persistence.store;

import chat.persistence.batch.MessageRow;

/**
 * A message with the numbers of its room and its user.
 *
 * @param room {@code rooms.room}
 * @param user {@code users.usr}
 */
public record KeyedRow(MessageRow message, int room, int user) {}
