package chat.load.plan;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * Creates the ids of one run: UUIDs of version 7 whose random bits are 42 bits drawn once per run and 32 bits that
 * number the message. An id therefore contains its number, and ids of other runs are recognizable.
 *
 * @param startMillis the run's beginning, milliseconds since 1970
 * @param tag 42 bits
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7">RFC 9562, 5.7</a>
 */
public record RunIds(long startMillis, long tag) {
    private static final int TAG_BITS = 42;
    private static final int LOW_TAG_BITS = 30;
    private static final long LOW_TAG_MASK = (1L << LOW_TAG_BITS) - 1;

    public RunIds {
        if (startMillis < 0 || startMillis >> 47 != 0 || tag < 0 || tag >> TAG_BITS != 0)
            throw new IllegalArgumentException("startMillis must fit 47 bits and tag 42");
    }

    /** Independent of the seed: a run repeated with its seed must not find its old rows. */
    public static RunIds random(long startMillis) {
        return new RunIds(startMillis, new SecureRandom().nextLong() >>> (64 - TAG_BITS));
    }

    /** Unique in practice: room names begin with it, so that runs on one database do not mix. */
    public String runName() {
        return "r" + Long.toString(startMillis, 36) + Long.toString(tag >>> 26, 36);
    }

    public String roomName(int room) {
        return runName() + "-" + room;
    }

    /** @param sentMillis the message's first send time, milliseconds after the run's beginning */
    public long high(long sentMillis) {
        return ((startMillis + sentMillis) << 16) | 0x7000L | (tag >>> LOW_TAG_BITS);
    }

    public long low(int number) {
        return 0x8000_0000_0000_0000L | ((tag & LOW_TAG_MASK) << 32) | number;
    }

    /** @return the number in the id, or -1 if it is not an id of this run; its time is ignored */
    public int number(long high, long low) {
        boolean ours = (high & 0xFFFFL) == (0x7000L | (tag >>> LOW_TAG_BITS))
                && low >>> 32 == (0x8000_0000L | (tag & LOW_TAG_MASK));
        return ours ? Math.max(-1, (int) low) : -1;
    }

    /** Returns an id of the run that has no number, for example of a LEAVE; it never equals a numbered id. */
    public UUID foreign(long random, long sentMillis) {
        long high = high(sentMillis) ^ (1 + (random & 0x7FF));
        return new UUID(high, 0x8000_0000_0000_0000L | (random >>> 2));
    }

    public UUID id(int number, long sentMillis) {
        return new UUID(high(sentMillis), low(number));
    }
}
