package chat.server.room;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** What one step of a partition has for sockets, by lane: each event loop is woken once. Not thread-safe. */
final class FanOut {
    /** As many as there are event loops: a handful. */
    private final List<EventLoopQueue.Batch> batches = new ArrayList<>(4);

    private @Nullable Runnable whenWritten;

    void add(LoopMembers audience, ByteBuf frame) {
        batch(audience.lane).add(audience, frame);
    }

    EventLoopQueue.Batch batch(EventLoopQueue lane) {
        for (EventLoopQueue.Batch batch : batches) if (batch.lane().equals(lane)) return batch;
        EventLoopQueue.Batch batch = lane.batch();
        batches.add(batch);
        return batch;
    }

    /** Is run once by whatever thread is the last to have written, or dropped, its part of what is submitted next. */
    void whenWritten(Runnable step) {
        whenWritten = step;
    }

    void submit() {
        if (whenWritten != null) watch(whenWritten);
        whenWritten = null;
        for (EventLoopQueue.Batch batch : batches) batch.submit();
        batches.clear();
    }

    private void watch(Runnable step) {
        if (batches.isEmpty()) {
            step.run();
            return;
        }
        AtomicInteger left = new AtomicInteger(batches.size());
        for (EventLoopQueue.Batch batch : batches)
            batch.whenWritten(() -> {
                if (left.decrementAndGet() == 0) step.run();
            });
    }
}
