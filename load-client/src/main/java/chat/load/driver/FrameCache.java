package chat.load.driver;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The last few MESSAGES frames of a room. A server sends one frame to all members, so most frames are copies of one seen a
 * moment ago. They are recognised by comparing all bytes: that is a vector instruction per 32 bytes and can't be wrong,
 * and frames of one length differ early, by their position.
 */
final class FrameCache {
    /** Members of one room lag behind each other by a few frames, on each of a few servers. */
    private static final int SIZE = 16;

    private final @Nullable Batch[] recent = new @Nullable Batch[SIZE];
    private int next;

    @Nullable
    Batch find(ByteBuffer frame) {
        int length = frame.remaining();
        // The newest first.
        for (int i = 1; i <= SIZE; i++) {
            Batch batch = recent[(next - i) & (SIZE - 1)];
            if (batch == null) return null;
            if (batch.bytes().remaining() == length && batch.bytes().mismatch(frame) < 0) return batch;
        }
        return null;
    }

    void add(Batch batch) {
        recent[next] = batch;
        next = (next + 1) & (SIZE - 1);
    }
}
