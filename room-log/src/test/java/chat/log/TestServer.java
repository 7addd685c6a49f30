package chat.log;

import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** A server with one partition that sends numbered messages and records the outcome of each. */
final class TestServer implements AutoCloseable, LogPartition.Owner<TestServer.Sent> {
    enum Outcome {
        ACCEPTED,
        REFUSED,
        UNKNOWN
    }

    /** A message and its outcome. */
    static final class Sent {
        final UUID id = UUID.randomUUID();
        final String text;
        final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

        Sent(String text) {
            this.text = text;
        }
    }

    final String name;
    final long incarnation = new Random().nextLong();
    final Observed observed = new Observed();
    final LogCounters counters = new LogCounters();
    final CompletableFuture<Void> started = new CompletableFuture<>();
    /** Outcomes of messages that already had one. */
    final AtomicInteger reportedTwice = new AtomicInteger();
    /** The longest time until an entry was read back. */
    final LongAccumulator longestNanos = new LongAccumulator(Math::max, 0);
    /** Messages offered while the partition was full. */
    final AtomicInteger full = new AtomicInteger();

    final LogPartition<Sent> partition;
    private final ScheduledExecutorService loop;
    private final ScheduledExecutorService sender = Executors.newSingleThreadScheduledExecutor();
    private final List<Sent> sent = new ArrayList<>();
    private final Deque<Sent> waiting = new ArrayDeque<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private @Nullable ScheduledFuture<?> load;

    TestServer(String name, RoomLog log, int partition, LogSettings settings, Clock clock) {
        this(name, log, partition, settings, clock, System::nanoTime);
    }

    TestServer(String name, RoomLog log, int partition, LogSettings settings, Clock clock, LongSupplier nanoTime) {
        this(name, log, partition, settings, clock, nanoTime, PartitionLoop.named("server-" + name));
    }

    /** @param loop shut down by this server */
    TestServer(
            String name,
            RoomLog log,
            int partition,
            LogSettings settings,
            Clock clock,
            LongSupplier nanoTime,
            ScheduledExecutorService loop) {
        this.name = name;
        this.loop = loop;
        this.partition =
                new LogPartition<>(log, partition, name, incarnation, settings, clock, nanoTime, loop, counters, this);
        this.partition.start();
    }

    @Override
    public void readBack(long publishedNanos, long confirmedNanos) {
        longestNanos.accumulate(System.nanoTime() - publishedNanos);
    }

    /** Returns when the partition has incarnation all queued steps, confirms included. */
    void passLoop() {
        for (int step = 0; step < 2; step++)
            CompletableFuture.runAsync(() -> {}, loop).join();
    }

    /** Sends one message; it waits while the partition is full. */
    Sent send() {
        Sent message = new Sent(name + "-" + numbers.incrementAndGet());
        synchronized (sent) {
            sent.add(message);
            waiting.add(message);
            if (waiting.size() == 1) offerWaiting();
        }
        return message;
    }

    /** Offers messages in order, so a waiting message delays the later ones. */
    private void offerWaiting() {
        synchronized (sent) {
            Sent message;
            while ((message = waiting.peek()) != null) {
                OutgoingMessage outgoing = Samples.message(
                        "room-" + message.text.length() % 3, message.id, Samples.IPV4, "42", message.text);
                LogPartition.Offer offer = partition.offer(outgoing, message);
                if (offer == LogPartition.Offer.FULL) {
                    full.incrementAndGet();
                    partition.whenRoom(this::offerWaiting);
                    return;
                }
                waiting.remove();
                if (offer == LogPartition.Offer.UNAVAILABLE) report(List.of(message), Outcome.REFUSED);
            }
        }
    }

    List<Sent> send(int messages) {
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) all.add(send());
        return all;
    }

    /** Sends a few messages every millisecond until {@link #stopLoad}. */
    synchronized void load() {
        if (load == null) load = sender.scheduleAtFixedRate(() -> send(3), 0, 1, TimeUnit.MILLISECONDS);
    }

    synchronized void stopLoad() {
        if (load != null) load.cancel(false);
        load = null;
        CompletableFuture.runAsync(() -> {}, sender).join(); // waits for a running task
    }

    List<Sent> sent() {
        synchronized (sent) {
            return List.copyOf(sent);
        }
    }

    List<Sent> sent(Outcome outcome) {
        return sent().stream()
                .filter(message -> message.outcome.getNow(null) == outcome)
                .toList();
    }

    boolean knowsAllOutcomes() {
        return sent().stream().allMatch(message -> message.outcome.isDone());
    }

    private void report(List<Sent> messages, Outcome outcome) {
        for (Sent message : messages) if (!message.outcome.complete(outcome)) reportedTwice.incrementAndGet();
    }

    @Override
    public void entry(LogEntry entry, @Nullable List<Sent> own) {
        observed.entry(entry);
        if (own != null) report(own, Outcome.ACCEPTED);
    }

    @Override
    public void gap(LogGap gap) {
        observed.gap(gap);
    }

    @Override
    public void refused(List<Sent> messages) {
        report(messages, Outcome.REFUSED);
    }

    @Override
    public void outcomeUnknown(List<Sent> messages) {
        report(messages, Outcome.UNKNOWN);
    }

    @Override
    public void started() {
        started.complete(null);
    }

    /** Stops like a killed process, without notifying the owner. */
    @Override
    public void close() {
        sender.shutdownNow();
        partition.close();
        loop.shutdown();
    }
}
