package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A server's connections to a shared log, which can be cut, hang, or lose entries. */
final class CuttableLog implements RoomLog {
    private static final class Held {
        final int partition;
        final byte[] entry;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        Held(int partition, byte[] entry) {
            this.partition = partition;
            this.entry = entry;
        }
    }

    private final RoomLog shared;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    /** In the order of appending. */
    private final Map<Long, Held> unconfirmed = new LinkedHashMap<>();

    private long appended;
    private final List<CuttableTail> tails = new ArrayList<>();
    private final Set<Integer> unrouted = new HashSet<>();
    private State state = State.UP;
    private boolean readingCut;
    /** Number of appended entries that still arrive, unconfirmed, before later ones are held; negative: all arrive. */
    private int arriving = -1;

    CuttableLog(RoomLog shared) {
        this.shared = shared;
    }

    @Override
    public int partitions() {
        return shared.partitions();
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        Held held = new Held(partition, entry);
        synchronized (this) {
            if (state == State.DOWN || unrouted.contains(partition)) {
                held.done.completeExceptionally(new LogUnavailable(Outcome.NOT_WRITTEN, "no way to the log"));
                return held.done;
            }
            long number = ++appended;
            unconfirmed.put(number, held);
            if (arriving < 0) {
                pass(number, held);
            } else if (arriving > 0) {
                arriving--;
                shared.append(partition, entry);
            }
        }
        return held.done;
    }

    private void pass(long number, Held held) {
        shared.append(held.partition, held.entry).whenComplete((unused, failure) -> confirmed(number, failure));
    }

    private void confirmed(long number, @Nullable Throwable failure) {
        Held held;
        synchronized (this) {
            held = unconfirmed.remove(number);
        }
        if (held == null) return;
        if (failure == null) held.done.complete(null);
        else held.done.completeExceptionally(failure);
    }

    /** Stops confirming; only the next few entries arrive. */
    synchronized void holdConfirms(int arriving) {
        this.arriving = arriving;
    }

    synchronized boolean hasUnconfirmed() {
        return !unconfirmed.isEmpty();
    }

    /** Delivers and confirms the held entries in order, and all later ones. */
    synchronized void goOn() {
        arriving = -1;
        new LinkedHashMap<>(unconfirmed).forEach(this::pass);
    }

    void cutPublishing() {
        List<Held> failed;
        synchronized (this) {
            state = State.DOWN;
            failed = new ArrayList<>(unconfirmed.values());
            unconfirmed.clear();
        }
        listeners.forEach(Runnable::run);
        for (Held held : failed)
            held.done.completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "the connection was cut"));
    }

    void restorePublishing() {
        synchronized (this) {
            arriving = -1;
            state = State.UP;
        }
        listeners.forEach(Runnable::run);
    }

    synchronized long appended() {
        return appended;
    }

    /** Delays entries until {@link #resumeReading}. */
    synchronized void pauseReading() {
        tails.forEach(CuttableTail::pause);
    }

    synchronized void resumeReading() {
        tails.forEach(CuttableTail::resume);
    }

    void cutReading() {
        List<CuttableTail> ended;
        synchronized (this) {
            readingCut = true;
            ended = List.copyOf(tails);
            tails.clear();
        }
        ended.forEach(tail -> tail.end("the connection was cut"));
    }

    synchronized void restoreReading() {
        readingCut = false;
    }

    synchronized void unroute(int partition) {
        unrouted.add(partition);
    }

    synchronized void route(int partition) {
        unrouted.remove(partition);
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        CuttableTail tail = new CuttableTail(handler);
        boolean cut;
        synchronized (this) {
            cut = readingCut;
            if (!cut) {
                tails.add(tail);
                tail.delegate = shared.tail(partition, start, tail);
            }
        }
        if (cut) tail.end("no connection");
        return tail;
    }

    @Override
    public synchronized State state() {
        return state;
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void release(int partition, long offset) {
        shared.release(partition, offset);
    }

    /** Leaves the shared log open: its owner closes it. */
    @Override
    public void close() {
        cutPublishing();
        cutReading();
    }

    private static final class CuttableTail implements Tail, TailHandler {
        private final TailHandler handler;
        private Tail delegate = new Nowhere();
        private final List<Runnable> late = new ArrayList<>();
        private boolean paused;
        private volatile boolean over;

        CuttableTail(TailHandler handler) {
            this.handler = handler;
        }

        @Override
        public synchronized void entry(long offset, byte[] bytes) {
            if (over) return;
            if (paused) late.add(() -> handler.entry(offset, bytes));
            else handler.entry(offset, bytes);
        }

        @Override
        public synchronized void ended(LogUnavailable cause) {
            if (!over) handler.ended(cause);
            over = true;
        }

        synchronized void pause() {
            paused = true;
        }

        synchronized void resume() {
            paused = false;
            if (!over) late.forEach(Runnable::run);
            late.clear();
        }

        void end(String why) {
            ended(new LogUnavailable(Outcome.UNKNOWN, why));
            delegate.close();
        }

        @Override
        public void handled(long offset) {
            delegate.handled(offset);
        }

        @Override
        public void close() {
            over = true;
            delegate.close();
        }
    }

    private static final class Nowhere implements Tail {
        @Override
        public void handled(long offset) {}

        @Override
        public void close() {}
    }
}
