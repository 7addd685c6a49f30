package chat.load.driver;

import java.nio.ByteBuffer;

/**
 * A MESSAGES frame, read once for all who get the same bytes.
 *
 * @param bytes as they came
 * @param numbers of the TEXTs within the room, in order
 * @param phantoms TEXTs that nobody in the room has sent
 * @param position of the frame's last message
 */
record Batch(ByteBuffer bytes, int[] numbers, int phantoms, long position) {}
