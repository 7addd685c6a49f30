package chat.server.room;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** What one step of a partition has for sockets, by lane: each event loop is woken once. Not thread-safe. */
final class FanOut {
    /** As many as there are event loops: a handful. */
    private final List<Lane.Batch> batches = new ArrayList<>(4);

    void add(Audience audience, ByteBuf frame) {
        batch(audience.lane).add(audience, frame);
    }

    Lane.Batch batch(Lane lane) {
        for (Lane.Batch batch : batches) if (batch.lane().equals(lane)) return batch;
        Lane.Batch batch = lane.batch();
        batches.add(batch);
        return batch;
    }

    void submit() {
        for (Lane.Batch batch : batches) batch.submit();
        batches.clear();
    }
}
