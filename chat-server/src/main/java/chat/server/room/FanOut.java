package chat.server.room;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The frames of one step of a partition, by event loop: each loop is woken once. Not thread-safe. */
final class FanOut {
    /** At most one for each event loop. */
    private final List<EventLoopQueue.Batch> batches = new ArrayList<>(4);

    private @Nullable Runnable whenWritten;

    void add(LoopMembers loopMembers, ByteBuf frame) {
        batch(loopMembers.queue).add(loopMembers, frame);
    }

    EventLoopQueue.Batch batch(EventLoopQueue queue) {
        for (EventLoopQueue.Batch batch : batches) if (batch.queue().equals(queue)) return batch;
        EventLoopQueue.Batch batch = queue.batch();
        batches.add(batch);
        return batch;
    }

    /** Sets a step that runs once, on the last thread that has written or dropped its part of the next submission. */
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
