package chat.log;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Simulates servers, their broker and two shared cores in virtual time, to test {@link Linger} in a closed control
 * loop. Each step of an entry takes a core for a constant time, roughly as profiled: publishing, storing, reading by
 * every server, and writing the frames of every room. Steps wait for a core in order of arrival.
 */
final class LoadSimulation {
    private static final int CORES = 2;
    private static final int PARTITIONS = 4;
    private static final int ROOMS = 20;
    private static final int MEMBERS = 50;
    private static final int UNCONFIRMED = LogSettings.DEFAULT.unconfirmed();

    private static final long PUBLISH = micros(40);
    private static final long STORE = micros(60);
    private static final long READ = micros(60);
    private static final long MESSAGE = micros(5);
    private static final long FRAME = micros(5);
    /** Wake-ups and sockets; takes no core. */
    private static final long TRANSIT = micros(100);

    private final Random random = new Random(1);
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final Deque<Job> ready = new ArrayDeque<>();
    private final List<Partition> partitions = new ArrayList<>();
    private final long brokerDelayNanos;
    private final int servers;
    private long now;
    private long sequence;
    private int busyCores;
    private long busyNanos;

    private final List<Long> latencies = new ArrayList<>();
    private final List<Long> lingers = new ArrayList<>();
    private long entries;

    private record Event(long at, long sequence, Runnable step) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(at, other.at);
            return byTime == 0 ? Long.compare(sequence, other.sequence) : byTime;
        }
    }

    private record Job(long nanos, Runnable then) {}

    private record Message(int room, long sentNanos) {}

    /** What happened between two moments. */
    record Result(
            double busy,
            double p50Millis,
            double p99Millis,
            double lingerMillis,
            double lingerSpread,
            double entriesPerSecond) {}

    /** @param brokerDelayMillis constant time that the broker adds to each entry, without using a core */
    LoadSimulation(int servers, long brokerDelayMillis) {
        this.servers = servers;
        this.brokerDelayNanos = TimeUnit.MILLISECONDS.toNanos(brokerDelayMillis);
        for (int server = 0; server < servers; server++)
            for (int number = 0; number < PARTITIONS; number++) partitions.add(new Partition(number));
    }

    private static long micros(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }

    /** Offers messages at random times for some seconds, and measures the last half of them. */
    Result offer(int messagesPerSecond, int seconds) {
        long end = now + TimeUnit.SECONDS.toNanos(seconds);
        arrive(messagesPerSecond, end);
        long half = now + (end - now) / 2;
        run(half);
        latencies.clear();
        lingers.clear();
        entries = 0;
        long busyBefore = busyNanos;
        run(end);
        long[] sorted = latencies.stream().mapToLong(Long::longValue).sorted().toArray();
        double[] linger = lingers.stream().mapToDouble(nanos -> nanos / 1e6).toArray();
        double mean = Arrays.stream(linger).average().orElse(0);
        double spread = Math.sqrt(Arrays.stream(linger)
                .map(each -> (each - mean) * (each - mean))
                .average()
                .orElse(0));
        double measured = end - half;
        return new Result(
                (busyNanos - busyBefore) / measured / CORES,
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6,
                mean,
                spread,
                entries / measured * 1e9);
    }

    private void arrive(int messagesPerSecond, long end) {
        long next = now + (long) (-Math.log(1 - random.nextDouble()) / messagesPerSecond * 1e9);
        if (next >= end) return;
        at(next, () -> {
            int room = random.nextInt(ROOMS);
            int server = random.nextInt(servers);
            partitions.get(server * PARTITIONS + room % PARTITIONS).send(new Message(room, now));
            arrive(messagesPerSecond, end);
        });
    }

    private void at(long time, Runnable step) {
        events.add(new Event(time, sequence++, step));
    }

    private void run(long until) {
        while (!events.isEmpty() && events.peek().at <= until) {
            Event event = events.remove();
            now = event.at;
            event.step.run();
        }
        now = until;
    }

    /** Runs a step when a core is free. */
    private void work(long nanos, Runnable then) {
        ready.add(new Job(nanos, then));
        dispatch();
    }

    private void dispatch() {
        while (busyCores < CORES) {
            Job job = ready.poll();
            if (job == null) return;
            busyCores++;
            at(now + job.nanos, () -> {
                busyCores--;
                busyNanos += job.nanos;
                job.then.run();
                dispatch();
            });
        }
    }

    /** One partition on one server. */
    private final class Partition {
        private final int number;
        private final Linger linger = new Linger(LogSettings.DEFAULT.linger().toNanos(), 0);
        private List<Message> waiting = new ArrayList<>();
        private int inFlight;
        private boolean lingering;
        private List<Message> unflushed = new ArrayList<>();
        private boolean flushing;
        private long flushedNanos;

        Partition(int number) {
            this.number = number;
        }

        void send(Message message) {
            waiting.add(message);
            publish();
        }

        private void publish() {
            if (waiting.isEmpty() || lingering || inFlight >= UNCONFIRMED) return;
            long left = linger.left(now);
            if (left > 0) {
                lingering = true;
                at(now + left, () -> {
                    lingering = false;
                    publish();
                });
                return;
            }
            List<Message> entry = waiting;
            waiting = new ArrayList<>();
            inFlight++;
            entries++;
            linger.published(now);
            lingers.add(linger.nanos(now));
            long published = now;
            work(
                    PUBLISH + MESSAGE * entry.size(),
                    () -> at(
                            now + TRANSIT,
                            () -> work(
                                    STORE,
                                    () -> at(now + TRANSIT + brokerDelayNanos, () -> deliver(entry, published)))));
        }

        private void deliver(List<Message> entry, long published) {
            for (Partition reader : partitions) {
                if (reader.number != number) continue;
                work(READ, () -> {
                    if (reader.equals(this)) {
                        inFlight--;
                        linger.readBack(now - published, now);
                        publish();
                    }
                    reader.read(entry);
                });
            }
        }

        private void read(List<Message> entry) {
            unflushed.addAll(entry);
            if (flushing) return;
            flushing = true;
            at(Math.max(now, flushedNanos + linger.nanos(now)), this::flush);
        }

        private void flush() {
            flushing = false;
            flushedNanos = now;
            List<Message> flushed = unflushed;
            unflushed = new ArrayList<>();
            Set<Integer> rooms = new HashSet<>();
            for (Message message : flushed) rooms.add(message.room);
            work(FRAME * rooms.size() * MEMBERS / servers, () -> {
                for (Message message : flushed) latencies.add(now - message.sentNanos);
            });
        }
    }
}
