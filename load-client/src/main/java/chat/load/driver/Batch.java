package chat.load.driver;

import java.nio.ByteBuffer;

/**
 * A unit with MESSAGES, read once for all who get the same bytes.
 *
 * @param bytes as they came
 * @param hash of the bytes, as {@link FrameCache} has it
 * @param numbers of the TEXTs within the room, in order
 * @param sentNanos when each was meant to be sent, after the run's beginning
 * @param phantoms TEXTs that nobody in the room has sent
 * @param position of the unit's last message, -1 where it tells none
 */
record Batch(ByteBuffer bytes, int hash, Room room, int[] numbers, long[] sentNanos, int phantoms, long position) {}
