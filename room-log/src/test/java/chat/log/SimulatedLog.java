package chat.log;

import chat.log.LogUnavailable.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Simulates a server's two connections to a broker of one partition in virtual time, with faults: entries are delayed,
 * nacked or returned; confirms are late, out of order or missing; connections are lost; the broker blocks;
 * subscriptions are cancelled or stay silent without an error.
 */
final class SimulatedLog implements RoomLog {
    private static final int CREDIT = 16;

    /** The broker with its stream, shared by all servers. */
    static final class Broker {
        private record Stored(long at, byte[] bytes) {}

        private final VirtualTime time;
        private final Random random;
        private final List<Stored> stored = new ArrayList<>();
        private final List<SimulatedTail> tails = new ArrayList<>();
        private boolean down;

        Broker(VirtualTime time, Random random) {
            this.time = time;
            this.random = random;
        }

        private void store(byte[] bytes) {
            stored.add(new Stored(time.nanoTime(), bytes));
            for (SimulatedTail tail : List.copyOf(tails)) tail.deliver();
        }

        private int firstSince(long nanos) {
            int first = 0;
            while (first < stored.size() && stored.get(first).at < nanos) first++;
            return first;
        }
    }

    /** One channel: its entries arrive in order, or from some point on not at all. */
    private static final class PublishChannel {
        final List<Published> unconfirmed = new ArrayList<>();
        /** No entry arrives later than this; set when the connection is cut. */
        long lastArrivalNanos = Long.MAX_VALUE;

        long arrivalNanos;
        boolean nacked;
        boolean closed;
        /** No entry is confirmed on this channel. */
        boolean mute;
        /** No entry arrives on this channel, without an error. */
        boolean swallows;
    }

    private record Published(byte[] entry, CompletableFuture<Void> done) {}

    private final Broker broker;
    private final VirtualTime time;
    private final Random random;
    private final List<Runnable> stateListeners = new ArrayList<>();
    private final List<Consumer<String>> faultListeners = new ArrayList<>();
    private final List<SimulatedTail> tails = new ArrayList<>();

    private PublishChannel channel = new PublishChannel();
    private boolean reads = true;
    /** The end of the replica that is read. */
    private int replicaEnd = Integer.MAX_VALUE;

    private int elsewhere;
    private int unanswered;
    private int renewals;
    private boolean opensNoChannels;
    private boolean blocked;
    /** One entry in this many is affected; 0: none. */
    private int nackOneIn;

    private int returnOneIn;
    private int copyOneIn;
    private long copies;
    private long subscriptions;
    private boolean forgetsConfirms;
    private Duration slowestConfirm = Duration.ofMillis(50);

    SimulatedLog(Broker broker) {
        this.broker = broker;
        this.time = broker.time;
        this.random = broker.random;
    }

    @Override
    public int partitions() {
        return 1;
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    private boolean oneIn(int n) {
        return n > 0 && random.nextInt(n) == 0;
    }

    private Duration upTo(Duration longest) {
        return Duration.ofNanos(random.nextLong(longest.toNanos()));
    }

    @Override
    public CompletionStage<Void> append(int partition, byte[] entry) {
        PublishChannel on = channel;
        if (on.closed || on.nacked)
            return CompletableFuture.failedFuture(new LogUnavailable(Outcome.NOT_WRITTEN, "no channel"));
        Published published = new Published(entry, new CompletableFuture<>());
        on.unconfirmed.add(published);
        on.arrivalNanos = Math.max(on.arrivalNanos, time.nanoTime() + random.nextLong(2_000_000));
        time.at(on.arrivalNanos, () -> arrive(on, published));
        return published.done;
    }

    private void arrive(PublishChannel on, Published published) {
        if (time.nanoTime() > on.lastArrivalNanos || broker.down || on.swallows) return;
        if (oneIn(nackOneIn)) {
            time.in(upTo(slowestConfirm), () -> nack(on));
        } else if (oneIn(returnOneIn)) {
            time.in(upTo(slowestConfirm), () -> {
                if (!on.unconfirmed.remove(published)) return;
                fault("returned");
                published.done.completeExceptionally(new LogUnavailable(Outcome.NOT_WRITTEN, "returned"));
            });
        } else {
            broker.store(published.entry);
            if (oneIn(copyOneIn)) {
                copies++;
                time.in(upTo(Duration.ofMillis(200)), () -> broker.store(published.entry));
            }
            if (forgetsConfirms || on.mute) return;
            time.in(upTo(slowestConfirm), () -> {
                if (on.unconfirmed.remove(published)) published.done.complete(null);
            });
        }
    }

    /** Closes the channel: entries that were already sent still arrive. */
    private void nack(PublishChannel on) {
        if (on.closed || on.nacked) return;
        on.nacked = true;
        time.in(upTo(Duration.ofMillis(5)), () -> {
            on.lastArrivalNanos = time.nanoTime();
            close(on, Duration.ofMillis(5));
        });
    }

    private void close(PublishChannel on, Duration reopening) {
        if (on.closed) return;
        on.closed = true;
        fault("channel lost");
        changed();
        failUnconfirmed(on);
        time.in(reopening, this::reopen);
    }

    private static void failUnconfirmed(PublishChannel on) {
        List<Published> failed = List.copyOf(on.unconfirmed);
        on.unconfirmed.clear();
        for (Published one : failed)
            one.done.completeExceptionally(new LogUnavailable(Outcome.UNKNOWN, "channel lost"));
    }

    private void reopen() {
        if (broker.down) {
            fault("not connected");
            time.in(Duration.ofMillis(500), this::reopen);
            return;
        }
        channel = new PublishChannel();
        changed();
    }

    private void fault(String what) {
        faultListeners.forEach(listener -> listener.accept(what));
    }

    private void changed() {
        stateListeners.forEach(Runnable::run);
    }

    @Override
    public State state() {
        if (channel.closed || !reads) return State.DOWN;
        return blocked ? State.BLOCKED : State.UP;
    }

    @Override
    public Runnable onStateChange(Runnable listener) {
        stateListeners.add(listener);
        return () -> stateListeners.remove(listener);
    }

    @Override
    public void onFault(Consumer<String> listener) {
        faultListeners.add(listener);
    }

    @Override
    public void release(int partition, long offset) {}

    @Override
    public void close() {}

    // --- faults

    void cutPublishing() {
        channel.lastArrivalNanos = time.nanoTime() + random.nextLong(2_000_000);
        close(channel, Duration.ofMillis(50).plus(upTo(Duration.ofMillis(500))));
    }

    void cutReading() {
        if (!reads) return;
        reads = false;
        fault("connection lost");
        changed();
        cancelTails();
        time.in(Duration.ofMillis(50).plus(upTo(Duration.ofMillis(500))), this::readAgain);
    }

    private void readAgain() {
        if (broker.down) {
            fault("not connected");
            time.in(Duration.ofMillis(500), this::readAgain);
            return;
        }
        reads = true;
        changed();
    }

    void cancelTails() {
        for (SimulatedTail tail : List.copyOf(tails)) tail.end();
    }

    /** Stops all tails without an error. */
    void silenceTails() {
        for (SimulatedTail tail : tails) tail.silent = true;
    }

    void block(boolean blocks) {
        blocked = blocks;
        changed();
    }

    void refuse(int nackOneIn, int returnOneIn) {
        this.nackOneIn = nackOneIn;
        this.returnOneIn = returnOneIn;
    }

    /** Duplicates entries, like a publisher that republishes after a late confirm. */
    void copy(int oneIn) {
        copyOneIn = oneIn;
    }

    /** The maximum delay of the confirm of a stored entry. */
    long copies() {
        return copies;
    }

    void confirmWithin(Duration slowest) {
        slowestConfirm = slowest;
    }

    /** Never confirms the entries that are stored now. */
    void forgetConfirms(boolean forgets) {
        forgetsConfirms = forgets;
    }

    /** Stops confirms until the channel is replaced, like a channel to a lost leader. */
    void muteChannel() {
        channel.mute = true;
    }

    /** Loses all entries until the channel is replaced. */
    void swallowWhatIsPublished() {
        channel.swallows = true;
    }

    /** Reports this number of faults. */
    void fail(int times) {
        for (int i = 0; i < times; i++) fault("on purpose");
    }

    void openNoChannels() {
        opensNoChannels = true;
    }

    /** Closes the channel and opens another, if the broker answers. */
    @Override
    public CompletionStage<Boolean> renew(int partition) {
        CompletableFuture<Boolean> renewed = new CompletableFuture<>();
        time.in(upTo(Duration.ofMillis(5)), () -> {
            PublishChannel before = channel;
            if (opensNoChannels || broker.down || before.closed || before.nacked) {
                renewed.complete(false);
                return;
            }
            before.lastArrivalNanos = time.nanoTime();
            before.closed = true;
            failUnconfirmed(before);
            channel = new PublishChannel();
            renewals++;
            renewed.complete(true);
        });
        return renewed;
    }

    /** How often a channel was replaced. */
    int renewals() {
        return renewals;
    }

    @Override
    public void unanswered(int partition) {
        unanswered++;
        cutPublishing();
    }

    /** How often {@link #unanswered} was called. */
    int unanswered() {
        return unanswered;
    }

    /** Reads from a replica that still lacks this number of the last entries. */
    void readReplicaThatLags(int entries) {
        cutReading();
        replicaEnd = Math.max(0, broker.stored.size() - entries);
    }

    void replicaCatchesUp() {
        replicaEnd = Integer.MAX_VALUE;
        for (SimulatedTail tail : List.copyOf(tails)) tail.deliver();
    }

    /** Restarts the broker without its last entries. */
    void loseTail(int entries) {
        cutReading();
        broker.stored
                .subList(broker.stored.size() - entries, broker.stored.size())
                .clear();
    }

    @Override
    public void silent(int partition) {
        elsewhere++;
        cutReading();
        replicaEnd = Integer.MAX_VALUE;
    }

    /** How often {@link #silent} was called. */
    int elsewhere() {
        return elsewhere;
    }

    private int readableEnd() {
        return Math.min(replicaEnd, broker.stored.size());
    }

    static void stop(Broker broker, List<SimulatedLog> logs) {
        broker.down = true;
        for (SimulatedLog log : logs) {
            log.cutPublishing();
            log.cutReading();
        }
    }

    static void start(Broker broker) {
        broker.down = false;
    }

    /** Ends all faults. */
    boolean isWell() {
        return state() == State.UP
                && nackOneIn == 0
                && returnOneIn == 0
                && !channel.nacked
                && replicaEnd == Integer.MAX_VALUE
                && tails.stream().noneMatch(tail -> tail.silent);
    }

    // --- reading

    long subscriptions() {
        return subscriptions;
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        subscriptions++;
        int from = switch (start) {
            case Start.First first -> 0;
            case Start.Last last -> Math.max(0, readableEnd() - 1);
            case Start.At at -> (int) at.offset();
            case Start.Ago ago -> broker.firstSince(time.nanoTime() - ago.time().toNanos());
        };
        SimulatedTail tail = new SimulatedTail(handler, from);
        if (reads) {
            tails.add(tail);
            broker.tails.add(tail);
            tail.deliver();
        } else {
            time.in(Duration.ofNanos(10_000), tail::end);
        }
        return tail;
    }

    private final class SimulatedTail implements Tail {
        private final TailHandler handler;
        private int next;
        private long handled;
        private long deliveryNanos;
        private boolean silent;
        private boolean over;

        SimulatedTail(TailHandler handler, int from) {
            this.handler = handler;
            this.next = from;
            this.handled = from - 1L;
        }

        void deliver() {
            while (!over && !silent && next < readableEnd() && next - handled <= CREDIT) {
                int offset = next++;
                deliveryNanos = Math.max(deliveryNanos, time.nanoTime() + random.nextLong(2_000_000));
                time.at(deliveryNanos, () -> {
                    if (!over && !silent) handler.entry(offset, broker.stored.get(offset).bytes);
                });
            }
        }

        @Override
        public void handled(long offset) {
            handled = Math.max(handled, offset);
            deliver();
        }

        void end() {
            if (over) return;
            close();
            handler.ended(new LogUnavailable(Outcome.UNKNOWN, "cancelled"));
        }

        @Override
        public void close() {
            over = true;
            tails.remove(this);
            broker.tails.remove(this);
        }
    }
}
