package chat.log;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures how long a reader has received no entry, and decides what to do about it: a stream reader can hang without
 * an error. On the partition's loop only.
 */
final class SilenceWatch {
    /** The next step when the silence has reached its limit. */
    enum Action {
        SUBSCRIBE_AGAIN,
        /** Subscribing again did not help: report the silence to the log, then subscribe again. */
        REPORT_SILENCE,
        /** The log has lost its tail: continue with its first entry. */
        TREAT_AS_REPLACED
    }

    /** A reader without a server cannot expect entries: its limit doubles with each silence, up to this factor. */
    private static final int MAX_PATIENCE = 4;

    /** Consecutive silences that subscribing again did not end, before the next step. */
    private static final int SILENCES = 4;

    /**
     * Without a server this number doubles each time, up to this limit, because reporting a silence interrupts all
     * partitions: finally about once an hour.
     */
    private static final int MAX_SILENCES = 64;

    /** A subscription younger than this may not have received its first entry yet. */
    private static final long FIRST_ENTRY_MILLIS = 1000;

    private final LogSettings settings;
    private final LongSupplier nanoTime;
    private final boolean hasServer;

    private long lastHeardNanos;
    private long receivedNanos;
    private long subscribedNanos;
    private long measuredNanos;
    private boolean quietReported;
    /** Consecutive silences since a new entry was read. */
    private int silences;

    private int maxSilences = SILENCES;
    /** Consecutive silences in which a probe found that the log ends below the checkpoint. */
    private int earlyEnds;

    private int patience = 1;

    /** @param hasServer whether the reader belongs to a server, which writes heartbeats that the reader receives */
    SilenceWatch(LogSettings settings, LongSupplier nanoTime, boolean hasServer) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.hasServer = hasServer;
        this.receivedNanos = nanoTime.getAsLong();
        this.subscribedNanos = receivedNanos;
    }

    /** How often to measure. */
    long intervalMillis() {
        return Math.max(1, settings.silence().toMillis() / 5);
    }

    void subscribed() {
        subscribedNanos = nanoTime.getAsLong();
        lastHeardNanos = subscribedNanos;
        quietReported = false;
    }

    void received() {
        receivedNanos = nanoTime.getAsLong();
        lastHeardNanos = receivedNanos;
        quietReported = false;
    }

    /** Restarts the silence: the listener may have taken its time. */
    void restart() {
        lastHeardNanos = nanoTime.getAsLong();
    }

    /** A new entry was read. */
    void progressed() {
        patience = 1;
        silences = 0;
        maxSilences = SILENCES;
    }

    /** The subscription was lost, or the log was replaced. */
    void reset() {
        silences = 0;
        earlyEnds = 0;
    }

    /** The log reaches the checkpoint. */
    void endReached() {
        earlyEnds = 0;
    }

    /** Whether an entry was received within two heartbeats, on a subscription that is not new. */
    boolean isReceiving() {
        long now = nanoTime.getAsLong();
        return now - receivedNanos < 2 * settings.heartbeat().toNanos()
                && now - subscribedNanos >= TimeUnit.MILLISECONDS.toNanos(FIRST_ENTRY_MILLIS);
    }

    /** The reader is not subscribed: nothing to measure. */
    void skip() {
        measuredNanos = nanoTime.getAsLong();
    }

    /**
     * Measures the silence in milliseconds. Time during which this thread did not run does not count.
     *
     * @param paused whether no entries are expected, so that the time since the last measurement does not count either
     */
    long measureMillis(boolean paused) {
        long now = nanoTime.getAsLong();
        long sinceLast = now - measuredNanos;
        measuredNanos = now;
        long excluded = paused ? sinceLast : Math.max(0, sinceLast - TimeUnit.MILLISECONDS.toNanos(intervalMillis()));
        lastHeardNanos = Math.min(now, lastHeardNanos + excluded);
        return TimeUnit.NANOSECONDS.toMillis(now - lastHeardNanos);
    }

    long limitMillis(boolean reading) {
        return settings.silence().toMillis() * (reading ? patience : 1);
    }

    /** Whether to report now, once per silence, that no entry arrives. */
    boolean reportsQuiet(long silentMillis) {
        if (quietReported || silentMillis < settings.silence().toMillis() / 2) return false;
        quietReported = true;
        return true;
    }

    /**
     * The silence has reached its limit.
     *
     * <p>A reader without a server treats a log that keeps ending below its checkpoint as one that has lost its tail,
     * because there may be no server that writes entries to prove it. Otherwise the connection, or the replica behind
     * it, may be the cause.
     *
     * @param reading whether the reader has verified the log
     * @param endsEarly whether a probe found that the log ends below the checkpoint
     * @param logUp whether the log can be used
     */
    Action limitReached(boolean reading, boolean endsEarly, boolean logUp) {
        if (!hasServer && reading) patience = Math.min(MAX_PATIENCE, patience * 2);
        earlyEnds = endsEarly ? earlyEnds + 1 : 0;
        if (!hasServer && earlyEnds >= SILENCES) return Action.TREAT_AS_REPLACED;
        if (!logUp || ++silences < maxSilences) return Action.SUBSCRIBE_AGAIN;
        silences = 0;
        if (!hasServer && reading) maxSilences = Math.min(MAX_SILENCES, maxSilences * 2);
        return Action.REPORT_SILENCE;
    }
}
