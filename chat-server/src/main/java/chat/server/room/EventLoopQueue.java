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
 * One event loop as rooms see it: takes what they have for its sockets, in order, a batch at a time. A partition that is
 * faster than the loop waits for it, so what lies between the two is bounded.
 */
public final class EventLoopQueue {
    private static final Logger logger = LoggerFactory.getLogger(EventLoopQueue.class);

    private final Executor loop;
    private final long maxBytes;
    private final LongAdder waits;
    /** Of frames that were handed over and have not been dealt with. */
    private final AtomicLong bytes = new AtomicLong();

    private volatile int waiting;

    /**
     * @param loop the event loop of its sockets; after its end it rejects what it is given
     * @param maxBytes that may lie between partitions and the loop, shared frames once; one batch more fits always
     * @param waits counts how often a partition had to wait for the loop
     */
    public EventLoopQueue(Executor loop, long maxBytes, LongAdder waits) {
        this.loop = loop;
        this.maxBytes = maxBytes;
        this.waits = waits;
    }

    /** As above, uncounted. */
    public EventLoopQueue(Executor loop, long maxBytes) {
        this(loop, maxBytes, new LongAdder());
    }

    /** Runs a step after everything that was handed over before by the same thread; drops it where the loop has ended. */
    void execute(Runnable step) {
        try {
            loop.execute(step);
        } catch (RejectedExecutionException ended) {
            // Its sockets are gone.
        }
    }

    /** Bytes of frames that the loop has not dealt with yet. */
    public long bytes() {
        return bytes.get();
    }

    /** Begins what one thread hands over together. */
    Batch batch() {
        return new Batch();
    }

    /** Frames for sockets of this lane: filled by a partition's thread, written by the loop. */
    final class Batch implements Runnable {
        private final List<LoopMembers> audiences = new ArrayList<>();
        private final List<ByteBuf> shared = new ArrayList<>();
        private final List<Membership> receivers = new ArrayList<>();
        private final List<ByteBuf> own = new ArrayList<>();
        private long size;
        private @Nullable Runnable whenWritten;

        private Batch() {}

        EventLoopQueue lane() {
            return EventLoopQueue.this;
        }

        /** The frame is retained. */
        void add(LoopMembers audience, ByteBuf frame) {
            audiences.add(audience);
            shared.add(frame.retain());
            size += frame.readableBytes();
        }

        /** Takes over the frame; it follows all shared ones. */
        void add(Membership receiver, ByteBuf frame) {
            receivers.add(receiver);
            own.add(frame);
            size += frame.readableBytes();
        }

        /** Is run behind it, on the loop; where that has ended, on the thread that submits. */
        void whenWritten(Runnable step) {
            whenWritten = step;
        }

        /** Hands all of it to the loop; waits while too much lies before it there. */
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
                // Whatever happens: a partition waits for it without end.
                done(size);
                if (whenWritten != null) whenWritten.run();
            }
        }

        private void write() {
            for (int i = 0; i < audiences.size(); i++) {
                ByteBuf frame = shared.get(i);
                audiences.get(i).write(frame);
                frame.release();
            }
            for (int i = 0; i < receivers.size(); i++) EventLoopQueue.write(receivers.get(i), own.get(i));
            for (int i = 0; i < audiences.size(); i++)
                if (i == 0 || !audiences.get(i).equals(audiences.get(i - 1)))
                    audiences.get(i).flush();
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

    /** Who can't be told would miss something and not know: let it come back and resume. An error is no other than that. */
    static void write(Membership to, ByteBuf frame) {
        try {
            to.subscriber.write(frame, to);
        } catch (Throwable failure) {
            broken(to.subscriber, failure);
        }
    }

    /** As {@link #write}, with an index of its own into the same bytes. */
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
        logger.error("a socket could not be written to: closing it", failure);
        subscriber.close(CloseCode.INTERNAL_ERROR);
    }
}
