package chat.load.check;

/**
 * Holds the TEXT rows of one room in the order storage returned them.
 *
 * @param numbers within the room
 * @param positions of the same rows
 * @param foreign rows with an id that was never sent in this room
 * @param altered rows whose sender or text differs from the message sent
 */
public record StoredRoom(int[] numbers, long[] positions, int foreign, int altered) {}
