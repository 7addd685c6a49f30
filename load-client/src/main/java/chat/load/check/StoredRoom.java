package chat.load.check;

/**
 * The TEXT rows of one room as read back, in the order they were answered.
 *
 * @param numbers within the room
 * @param positions of the same rows
 * @param foreign rows whose id was never sent in this room
 * @param altered rows whose sender or text is not what was sent
 */
public record StoredRoom(int[] numbers, long[] positions, int foreign, int altered) {}
