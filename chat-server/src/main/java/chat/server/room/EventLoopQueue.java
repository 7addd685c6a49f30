package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of frames from partitions to one event loop. Partitions submit batches, which the loop writes to its sockets
 * in order. The queue is bounded in bytes: a partition that is faster than the loop waits for it.
 */
public final class EventLoopQueue {
    private static final Logger logger = LoggerFactory.getLogger(EventLoopQueue.class);

    private final Executor loop;
    private final long maxBytes;
    private final LongAdder waits;
    /** Size of the frames that were submitted and not yet written or dropped. */
    private final AtomicLong bytes = new AtomicLong();

    private volatile int waiting;

    /**
     * @param loop the event loop; rejects steps after its end
     * @param maxBytes bound of the queue; shared frames count once, and one more batch always fits
     * @param waits counts how often a partition waited for the loop
     */
    public EventLoopQueue(Executor loop, long maxBytes, LongAdder waits) {
        this.loop = loop;
        this.maxBytes = maxBytes;
        this.waits = waits;
    }

    /** Creates a queue that does not count waits. */
    public EventLoopQueue(Executor loop, long maxBytes) {
        this(loop, maxBytes, new LongAdder());
    }

    /** Runs a step after the batches that the same thread has submitted; drops it if the loop has ended. */
    void execute(Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException ended) {
            // Its sockets are gone.
        }
    }

    /** Returns the size of the frames that the loop has not yet written or dropped. */
    public long bytes() {
        return bytes.get();
    }

    /** Creates an empty batch. */
    Batch batch() {
        return new Batch();
    }

    /** Frames for sockets of this event loop: filled by a partition's thread, written by the loop. */
    final class Batch implements Runnable {
        private final List<LoopMembers> loops = new ArrayList<>();
        private final List<ByteBuf> shared = new ArrayList<>();
        private final List<Membership> receivers = new ArrayList<>();
        private final List<ByteBuf> own = new ArrayList<>();
        private long size;
        private @Nullable Runnable whenWritten;

        private Batch() {}

        EventLoopQueue queue() {
            return EventLoopQueue.this;
        }

        /** Adds a shared frame and retains it. */
        void add(LoopMembers loopMembers, ByteBuf frame) {
            loops.add(loopMembers);
            shared.add(frame.retain());
            size += frame.readableBytes();
        }

        /** Adds a frame for one member, after all shared frames, and takes ownership of it. */
        void add(Membership receiver, ByteBuf frame) {
            receivers.add(receiver);
            own.add(frame);
            size += frame.readableBytes();
        }

        /** Sets a step that runs after the batch, on the loop; if the loop has ended, on the submitting thread. */
        void whenWritten(Runnable step) {
            whenWritten = step;
        }

        /** Submits the batch to the loop; waits while the queue exceeds its bound. */
        void submit() {
            bytes.addAndGet(size);
            try {
                loop.execute(this);
            } catch (RejectedExecutionException ended) {
                discard();
                return;
            }
            if (bytes.get() > maxBytes) await();
        }

        @Override
        public void run() {
            try {
                write();
            } finally {
                // Even after a failure: a partition waits without a timeout.
                done(size);
                if (whenWritten != null) whenWritten.run();
            }
        }

        private void write() {
            for (int i = 0; i < loops.size(); i++) {
                ByteBuf frame = shared.get(i);
                loops.get(i).write(frame);
                frame.release();
            }
            for (int i = 0; i < receivers.size(); i++) EventLoopQueue.write(receivers.get(i), own.get(i));
            for (int i = 0; i < loops.size(); i++)
                if (i == 0 || !loops.get(i).equals(loops.get(i - 1)))
                    loops.get(i).flush();
            for (Membership receiver : receivers) flush(receiver.subscriber);
        }

        private void discard() {
            shared.forEach(ByteBuf::release);
            own.forEach(ByteBuf::release);
            done(size);
            if (whenWritten != null) whenWritten.run();
        }
    }

    private void done(long size) {
        if (bytes.addAndGet(-size) > maxBytes || waiting == 0) return;
        synchronized (this) {
            notifyAll();
        }
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // written under the lock
    private synchronized void await() {
        waits.increment();
        waiting++;
        try {
            while (bytes.get() > maxBytes) wait();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } finally {
            waiting--;
        }
    }

    /** Writes a frame. If that fails, closes the session, which would miss the frame without noticing: it resumes. */
    static void write(Membership to, ByteBuf frame) {
        try {
            to.subscriber.write(frame, to);
        } catch (Throwable failure) {
            broken(to.subscriber, failure);
        }
    }

    /** As {@link #write}, with a duplicate that shares the bytes. */
    static void share(Membership to, ByteBuf frame) {
        try {
            to.subscriber.write(frame.retainedDuplicate(), to);
        } catch (Throwable failure) {
            broken(to.subscriber, failure);
        }
    }

    static void flush(Subscriber subscriber) {
        try {
            subscriber.flush();
        } catch (Throwable failure) {
            broken(subscriber, failure);
        }
    }

    private static void broken(Subscriber subscriber, Throwable failure) {
        logger.error("failed to write to a socket: closing it", failure);
        subscriber.close(CloseCode.INTERNAL_ERROR);
    }
}
