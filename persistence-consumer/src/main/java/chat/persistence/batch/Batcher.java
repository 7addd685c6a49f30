package chat.persistence.batch;

import chat.persistence.batch.Batch.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects one partition's entries until there are enough messages or the oldest has waited long enough. An entry is
 * never split, so the position of the last entry describes the whole batch. Confined to the partition's thread.
 */
public final class Batcher {
    private final int partition;
    private final int size;
    private final long ageNanos;
    private final long positionNanos;
    private final LongSupplier nanoClock;

    private List<MessageRow> rows = new ArrayList<>();
    private List<DeadLetter> deadLetters = new ArrayList<>();
    private List<Gap> gaps = new ArrayList<>();
    private @Nullable Mark end;
    private long oldest;
    private long lastTaken;

    public Batcher(int partition, BatchSettings settings, LongSupplier nanoClock) {
        this.partition = partition;
        this.size = settings.size();
        this.ageNanos = settings.age().toNanos();
        this.positionNanos = settings.positionInterval().toNanos();
        this.nanoClock = nanoClock;
        this.lastTaken = nanoClock.getAsLong();
    }

    /** Adds a whole entry. */
    public void add(EntryRows entry) {
        if (entry.messages() > 0) begin();
        rows.addAll(entry.rows());
        deadLetters.addAll(entry.deadLetters());
        Mark mark = entry.mark();
        if (mark != null && (end == null || mark.position() > end.position())) end = mark;
    }

    /** Position the batch reaches; null if it does not move the position. */
    public @Nullable Mark end() {
        return end;
    }

    /** Records that messages are missing before the next entry. */
    public void add(Gap gap) {
        begin();
        gaps.add(gap);
    }

    private void begin() {
        if (!hasContent()) oldest = nanoClock.getAsLong();
    }

    private boolean hasContent() {
        return messages() > 0 || !gaps.isEmpty();
    }

    /** Number of messages collected. */
    public int messages() {
        return rows.size() + deadLetters.size();
    }

    /** Intake time of the first message collected, milliseconds since 1970; {@code none} if there is none. */
    public long oldestTimestamp(long none) {
        return rows.isEmpty() ? none : rows.getFirst().timestamp();
    }

    /** Why the batch must be written now; null if it need not be. */
    public @Nullable Cause due() {
        if (messages() >= size) return Cause.SIZE;
        if (nanosUntilDue() > 0) return null;
        return hasContent() ? Cause.TIME : Cause.POSITION;
    }

    /** Time until the batch is due if nothing more is read; {@link Long#MAX_VALUE} if it is empty. */
    public long nanosUntilDue() {
        if (messages() >= size) return 0;
        long now = nanoClock.getAsLong();
        if (hasContent()) return Math.max(0, ageNanos - (now - oldest));
        return end == null ? Long.MAX_VALUE : Math.max(0, positionNanos - (now - lastTaken));
    }

    /** Closes the batch and begins the next. */
    public Batch take(Cause cause) {
        Batch batch = new Batch(partition, rows, deadLetters, gaps, end, cause, false);
        rows = new ArrayList<>(Math.min(size, 4096));
        deadLetters = new ArrayList<>();
        gaps = new ArrayList<>();
        end = null;
        lastTaken = nanoClock.getAsLong();
        return batch;
    }
}
