package chat.load.driver;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Queries storage ten times a second for the position up to which a few rooms are stored, to measure the time from
 * frame to row within a tenth of a second. It watches only a few rooms because queries for all of them would be a
 * load of their own.
 */
final class RowWatch {
    private static final long PERIOD_MILLIS = 100;
    private static final int ROOMS = 4;

    private final RunState run;
    private final HistoryReader storage;
    private final List<Room> rooms;
    /** Rooms that are not known to be stored completely. */
    private final Set<Room> behind = ConcurrentHashMap.newKeySet();

    /** Increases while storage makes progress. */
    private final AtomicLong highest = new AtomicLong();

    private final Thread thread;
    private volatile boolean stopped;

    RowWatch(RunState run, HistoryReader storage, List<Room> rooms) {
        this.run = run;
        this.storage = storage;
        this.rooms = rooms.subList(0, Math.min(ROOMS, rooms.size()));
        this.behind.addAll(this.rooms);
        this.thread = Thread.ofPlatform().daemon().name("row-watch").start(this::watch);
    }

    private void watch() {
        try {
            while (!stopped) {
                for (Room room : rooms) ask(room);
                TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS);
            }
        } catch (InterruptedException ended) {
            // This thread has no other use.
        }
    }

    private void ask(Room room) throws InterruptedException {
        try {
            long position = storage.storedThrough(room.roomId);
            long now = run.elapsedNanos();
            room.loop.events.execute(() -> {
                room.storedThrough(position, now);
                if (room.isStored()) behind.remove(room);
                else behind.add(room);
            });
            highest.accumulateAndGet(position, Math::max);
        } catch (IOException | HistoryReader.Unusable away) {
            // Reading back reports missing rows; here a failed query only delays the measurement.
        }
    }

    /**
     * Continues until everything that members of these rooms have received is stored, then stops.
     *
     * @param patience how long storage may make no progress
     */
    void finish(Duration patience) throws InterruptedException {
        long seen = highest.get();
        long seenNanos = System.nanoTime();
        while (!behind.isEmpty() && System.nanoTime() - seenNanos < patience.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(PERIOD_MILLIS / 2);
            if (highest.get() == seen) continue;
            seen = highest.get();
            seenNanos = System.nanoTime();
        }
        stopped = true;
        thread.interrupt();
        thread.join(TimeUnit.SECONDS.toMillis(5));
    }
}
