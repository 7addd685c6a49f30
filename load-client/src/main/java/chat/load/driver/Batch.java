package chat.load.driver;

import java.nio.ByteBuffer;

/**
 * A unit with MESSAGES, parsed once for all members that receive the same bytes.
 *
 * @param bytes the raw bytes
 * @param hash of the bytes, computed by {@link FrameCache}
 * @param numbers of the TEXTs within the room, in order
 * @param sentNanos intended send time of each, after the run's beginning
 * @param phantoms number of TEXTs that no member of the room has sent
 * @param position of the unit's last message, -1 if it has none
 */
record Batch(ByteBuffer bytes, int hash, Room room, int[] numbers, long[] sentNanos, int phantoms, long position) {}
