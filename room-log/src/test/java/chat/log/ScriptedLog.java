package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A log of one partition in which the test decides for each append whether it arrives, is confirmed or fails. */
final class ScriptedLog implements RoomLog {
    /** One call of {@link #append}. */
    final class Append {
        final byte[] bytes;
        final EntryHeader header;
        private final CompletableFuture<Void> done = new CompletableFuture<>();

        Append(byte[] bytes) {
            this.bytes = bytes;
            this.header = LogEntry.header(bytes);
        }

        void arrive() {
            store(bytes);
        }

        void confirm() {
            done.complete(null);
        }

        void fail(Outcome outcome) {
            done.completeExceptionally(new LogUnavailable(outcome, "the test says so"));
        }

        boolean isOpen() {
            return !done.isDone();
        }
    }

    /** All stored entries by offset; null where an entry was removed. */
    private final List<byte @Nullable []> stored = new ArrayList<>();

    private final List<ScriptedTail> tails = new ArrayList<>();
    private final List<Append> appends = new ArrayList<>();
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final List<Long> handled = Collections.synchronizedList(new ArrayList<>());
    private volatile State state = State.UP;
    private volatile boolean signsArrive = true;
    private volatile @Nullable Outcome failAll;

    @Override
    public int partitions() {
        return 1;
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    /** HELLOs and HEARTBEATs arrive automatically, except after {@link #holdHeartbeats}. */
    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        Append append = new Append(entry);
        boolean sign = append.header.kind() != EntryKind.MESSAGES;
        synchronized (this) {
            appends.add(append);
        }
        Outcome failure = failAll;
        if (sign && signsArrive) {
            append.arrive();
            append.confirm();
        } else if (failure != null) {
            append.fail(failure);
        }
        return append.done;
    }

    void holdHeartbeats() {
        signsArrive = false;
    }

    /** Lets later heartbeats arrive; the held ones do not. */
    void letSignsArrive() {
        signsArrive = true;
    }

    /** Makes later messages fail at once; null ends it. */
    void failAll(@Nullable Outcome outcome) {
        failAll = outcome;
    }

    /** Fails all open appends, as the loss of a connection does. */
    @Override
    public void unanswered(int partition) {
        List<Append> open;
        synchronized (this) {
            open = appends.stream().filter(Append::isOpen).toList();
        }
        open.forEach(append -> append.fail(Outcome.UNKNOWN));
    }

    synchronized List<Append> appends(EntryKind kind) {
        return appends.stream().filter(append -> append.header.kind() == kind).toList();
    }

    /** The appended entries with messages, in the order of the calls. */
    List<Append> messages() {
        return appends(EntryKind.MESSAGES);
    }

    synchronized void store(byte[] bytes) {
        stored.add(bytes);
        tails.forEach(ScriptedTail::deliver);
    }

    synchronized int end() {
        return stored.size();
    }

    synchronized byte @Nullable [] stored(int offset) {
        return stored.get(offset);
    }

    /** Removes all entries below this offset. */
    synchronized void truncate(int below) {
        for (int i = 0; i < below; i++) stored.set(i, null);
    }

    /** Replaces the log by these entries, from offset 0. */
    synchronized void replace(List<byte[]> entries) {
        stored.clear();
        stored.addAll(entries);
    }

    void endTails() {
        List<ScriptedTail> ended;
        synchronized (this) {
            ended = List.copyOf(tails);
            tails.clear();
        }
        ended.forEach(tail -> tail.handler.ended(new LogUnavailable(Outcome.UNKNOWN, "the test says so")));
    }

    void become(State to) {
        state = to;
        listeners.forEach(Runnable::run);
    }

    List<Long> handled() {
        return List.copyOf(handled);
    }

    @Override
    public synchronized Tail tail(int partition, Start start, TailHandler handler) {
        int from = switch (start) {
            case Start.First first -> 0;
            case Start.Last last -> Math.max(0, stored.size() - 1);
            case Start.At at -> (int) at.offset();
            case Start.Ago ago -> 0;
        };
        ScriptedTail tail = new ScriptedTail(handler, from);
        tails.add(tail);
        tail.deliver();
        return tail;
    }

    @Override
    public State state() {
        return state;
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public void release(int partition, long offset) {}

    @Override
    public void close() {}

    private final class ScriptedTail implements Tail {
        private final TailHandler handler;
        private int next;

        ScriptedTail(TailHandler handler, int from) {
            this.handler = handler;
            this.next = from;
        }

        void deliver() {
            for (; next < stored.size(); next++) {
                byte[] bytes = stored.get(next);
                if (bytes != null) handler.entry(next, bytes);
            }
        }

        @Override
        public void handled(long offset) {
            handled.add(offset);
        }

        @Override
        public void close() {
            synchronized (ScriptedLog.this) {
                tails.removeIf(tail -> tail == this);
            }
        }
    }
}
