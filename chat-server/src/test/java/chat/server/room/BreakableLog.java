package chat.server.room;

import chat.log.ForwardingRoomLog;
import chat.log.LogUnavailable;
import chat.log.RoomLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A log whose appends can be made to fail. */
public final class BreakableLog extends ForwardingRoomLog {
    private enum Mode {
        WORKING,
        REFUSING,
        SWALLOWING,
        HOLDING
    }

    private static final int KIND_AT = 1;
    private static final byte MESSAGES = 1;
    private static final int RUN_AT = 18;

    private record Held(int partition, byte[] entry, CompletableFuture<Void> confirmed) {}

    private final List<Held> held = new ArrayList<>();
    private byte[] lastMessages = {};
    private long otherRun;
    private volatile Mode mode = Mode.WORKING;
    private volatile State state = State.UP;
    private Runnable afterRefusal = () -> {};
    private volatile long firstOffset;
    private volatile boolean readable = true;
    private final AtomicLong lastOffset = new AtomicLong();
    private final AtomicInteger tails = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private volatile Duration retryAfter = Duration.ZERO;
    private final AtomicInteger swallowed = new AtomicInteger();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public BreakableLog(RoomLog log) {
        super(log);
    }

    public void refuse() {
        mode = Mode.REFUSING;
    }

    /** Runs when the next append has been rejected. */
    public synchronized void whenRefused(Runnable next) {
        afterRefusal = next;
    }

    /** Appends of messages that wait. */
    public synchronized int held() {
        return (int) held.stream().filter(append -> hasMessages(append.entry())).count();
    }

    private static boolean hasMessages(byte[] entry) {
        return entry[KIND_AT] == MESSAGES;
    }

    /** The last entry with messages. */
    public synchronized byte[] lastMessages() {
        return lastMessages;
    }

    /** As by another server, to which the same messages were sent again. */
    public synchronized void appendAgain(byte[] messages) {
        byte[] again = messages.clone();
        ByteBuffer.wrap(again).putLong(RUN_AT, ++otherRun);
        super.append(0, again).toCompletableFuture().join();
    }

    /** Those that wait are not written; what follows is. */
    public synchronized void refuseHeld() {
        mode = Mode.WORKING;
        for (Held append : held) append.confirmed().completeExceptionally(refusal());
        held.clear();
    }

    private static LogUnavailable refusal() {
        return new LogUnavailable(LogUnavailable.Outcome.NOT_WRITTEN, "the test wants it so");
    }

    public void swallow() {
        mode = Mode.SWALLOWING;
    }

    /** Appends wait until it is mended. */
    public void hold() {
        mode = Mode.HOLDING;
    }

    public void retryAfter(Duration time) {
        retryAfter = time;
    }

    @Override
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Appends of messages that came to nothing. */
    public int swallowed() {
        return swallowed.get();
    }

    /** New readers find nothing before this offset, as after the broker's retention. */
    public void keepFrom(long offset) {
        firstOffset = offset;
    }

    /** Whether new readers find any entry. */
    public void readable(boolean now) {
        readable = now;
    }

    /** Of the newest entry that anybody has read. */
    public long lastOffset() {
        return lastOffset.get();
    }

    /** Readings that have begun so far. */
    public int tails() {
        return tails.get();
    }

    /** Readings that go on now. */
    public int openTails() {
        return open.get();
    }

    /** Readings that went on at the same time, at most, since this was asked last. */
    public int mostOpenTails() {
        return mostOpen.getAndSet(open.get());
    }

    public synchronized void mend() {
        mode = Mode.WORKING;
        for (Held append : held)
            super.append(append.partition(), append.entry()).thenAccept(append.confirmed()::complete);
        held.clear();
        state = State.UP;
        listeners.forEach(Runnable::run);
    }

    /** It can't be reached. */
    public void down() {
        become(State.DOWN);
    }

    public void become(State next) {
        state = next;
        listeners.forEach(Runnable::run);
    }

    @Override
    public synchronized CompletionStage<Void> append(int partition, byte[] entry) {
        if (hasMessages(entry)) lastMessages = entry;
        return switch (mode) {
            case WORKING -> super.append(partition, entry);
            case REFUSING -> {
                if (hasMessages(entry)) afterRefusal.run();
                yield CompletableFuture.failedFuture(refusal());
            }
            case HOLDING -> {
                Held append = new Held(partition, entry, new CompletableFuture<>());
                held.add(append);
                yield append.confirmed();
            }
            case SWALLOWING -> {
                if (hasMessages(entry)) swallowed.incrementAndGet();
                yield new CompletableFuture<>();
            }
        };
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        if (!readable) {
            handler.ended(new LogUnavailable(LogUnavailable.Outcome.UNKNOWN, "the test wants it so"));
            return new Tail() {
                @Override
                public void handled(long offset) {}

                @Override
                public void close() {}
            };
        }
        tails.incrementAndGet();
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        Start kept = start instanceof Start.At at ? new Start.At(Math.max(firstOffset, at.offset())) : start;
        Tail tail = super.tail(partition, kept, new TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                lastOffset.accumulateAndGet(offset, Math::max);
                handler.entry(offset, bytes);
            }

            @Override
            public void ended(LogUnavailable cause) {
                handler.ended(cause);
            }
        });
        AtomicBoolean closed = new AtomicBoolean();
        return new Tail() {
            @Override
            public void handled(long offset) {
                tail.handled(offset);
            }

            @Override
            public void close() {
                if (closed.compareAndSet(false, true)) open.decrementAndGet();
                tail.close();
            }
        };
    }

    @Override
    public State state() {
        return state;
    }

    /** Number of listeners of its state. */
    public int stateListeners() {
        return listeners.size();
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }
}
