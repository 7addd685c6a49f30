package chat.persistence.store;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Periodically creates partitions for the coming months and deletes dead letters, rooms without texts and, if a
 * retention is set, old messages.
 */
public final class Maintenance implements SmartLifecycle {
    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);
    /** Delay of the first run: the start of the program is busy enough. */
    private static final Duration FIRST = Duration.ofMinutes(1);
    /** A run without work takes milliseconds; months are created long before they are needed. */
    private static final Duration INTERVAL = Duration.ofHours(1);
    /** Timeout of one statement: counting the rows of a month can take long. */
    private static final Duration PATIENCE = Duration.ofHours(1);

    private static final int DELETES_AT_ONCE = 5_000;

    private final MonthPartitions months;
    private final @Nullable Retention retention;
    private final DeadLetterRetention letters;
    private final RoomExpiry rooms;
    private final AtomicInteger missingMonths = new AtomicInteger();
    private final Counter removedRooms;
    private final Counter removed;
    private final Counter removedLetters;
    private final Counter failures;
    private @Nullable ScheduledExecutorService thread;

    public Maintenance(DataSource writing, StoreProperties properties, MeterRegistry meters, Clock clock) {
        this(writing, properties, meters, clock, MonthPartitions.AHEAD);
    }

    Maintenance(DataSource writing, StoreProperties properties, MeterRegistry meters, Clock clock, int monthsAhead) {
        DataSource patient = new PatientDataSource(writing, PATIENCE);
        months = new MonthPartitions(patient, monthsAhead, clock);
        retention = properties.keep() == 0
                ? null
                : new Retention(patient, Duration.ofDays(properties.keep()), DELETES_AT_ONCE, clock);
        letters =
                new DeadLetterRetention(writing, Duration.ofDays(properties.keepDeadLetters()), DELETES_AT_ONCE, clock);
        rooms = new RoomExpiry(patient, DELETES_AT_ONCE, clock);
        Gauge.builder("persistence.months.missing", missingMonths, AtomicInteger::get)
                .description(
                        "Months without a partition of their own because too many of their messages are in the default one")
                .register(meters);
        removedRooms = Counter.builder("persistence.rooms.removed")
                .description("Rooms deleted because they had no text messages left")
                .register(meters);
        removed = Counter.builder("persistence.removed")
                .description("Messages deleted because they were older than the retention")
                .register(meters);
        removedLetters = Counter.builder("persistence.dead.letters.removed")
                .description("Dead letters deleted because they were older than their retention")
                .register(meters);
        failures = Counter.builder("persistence.maintenance.failures")
                .description("Failed attempts to create monthly partitions or delete expired rows; each is retried")
                .register(meters);
    }

    /** One run; any thread. */
    void run() {
        try {
            missingMonths.set(months.create());
            removedLetters.increment((double) letters.run());
            if (retention != null) removed.increment((double) retention.run());
            removedRooms.increment(rooms.run());
        } catch (SQLException | RuntimeException | Error failed) { // an exception would cancel all further runs
            failures.increment();
            log.warn("Maintenance of the tables failed; trying again in {}: {}", INTERVAL, failed.getMessage());
        }
    }

    @Override
    public synchronized void start() {
        if (thread != null) return;
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("maintenance").daemon().factory());
        var unused =
                started.scheduleWithFixedDelay(this::run, FIRST.toSeconds(), INTERVAL.toSeconds(), TimeUnit.SECONDS);
        thread = started;
    }

    /** The running step is rolled back; the next run repeats it. */
    @Override
    public synchronized void stop() {
        if (thread != null) thread.shutdownNow();
        thread = null;
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}
