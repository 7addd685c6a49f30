package chat.server.room;

import chat.log.LogUnavailable;
import chat.log.RoomLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A log whose appends can be made to fail. */
public final class BreakableLog implements RoomLog {
    private enum Mode {
        WORKING,
        REFUSING,
        SWALLOWING,
        HOLDING
    }

    private record Held(int partition, byte[] entry, CompletableFuture<Void> confirmed) {}

    private final RoomLog log;
    private final List<Held> held = new ArrayList<>();
    private volatile Mode mode = Mode.WORKING;
    private volatile State state = State.UP;
    private volatile Duration retryAfter = Duration.ZERO;
    private final AtomicInteger swallowed = new AtomicInteger();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    public BreakableLog(RoomLog log) {
        this.log = log;
    }

    public void refuse() {
        mode = Mode.REFUSING;
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

    public int swallowed() {
        return swallowed.get();
    }

    public synchronized void mend() {
        mode = Mode.WORKING;
        for (Held append : held)
            log.append(append.partition(), append.entry()).thenAccept(append.confirmed()::complete);
        held.clear();
        state = State.UP;
        listeners.forEach(Runnable::run);
    }

    /** It can't be reached. */
    public void down() {
        state = State.DOWN;
        listeners.forEach(Runnable::run);
    }

    @Override
    public synchronized CompletionStage<Void> append(int partition, byte[] entry) {
        return switch (mode) {
            case WORKING -> log.append(partition, entry);
            case REFUSING ->
                CompletableFuture.failedFuture(
                        new LogUnavailable(LogUnavailable.Outcome.NOT_WRITTEN, "the test wants it so"));
            case HOLDING -> {
                Held append = new Held(partition, entry, new CompletableFuture<>());
                held.add(append);
                yield append.confirmed();
            }
            case SWALLOWING -> {
                swallowed.incrementAndGet();
                yield new CompletableFuture<>();
            }
        };
    }

    @Override
    public int partitions() {
        return log.partitions();
    }

    @Override
    public boolean outlivesItsProcess() {
        return log.outlivesItsProcess();
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        return log.tail(partition, start, handler);
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public void onStateChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void release(int partition, long offset) {
        log.release(partition, offset);
    }

    @Override
    public void close() {
        log.close();
    }
}
