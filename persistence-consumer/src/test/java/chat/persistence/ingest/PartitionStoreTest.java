package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.LogCounters;
import chat.log.NotStored;
import chat.persistence.batch.Backoff;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore;
import chat.persistence.batch.Mark;
import chat.persistence.batch.StoreUnavailable;
import chat.persistence.batch.StoredMark;
import chat.persistence.batch.UnstoredMessage;
import chat.persistence.ingest.PartitionStore.Loaded;
import chat.persistence.ingest.PartitionStore.Result;
import chat.protocol.RoomId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class PartitionStoreTest {
    private static final Mark FIRST = new Mark(2047, 1, 0, 5, 1);
    private static final Mark SECOND = new Mark(4095, 1, 1, 5, 2);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Database database = new Database();
    private final DatabaseState state = new DatabaseState();
    private final StopSignal stop = new StopSignal();
    private final PartitionStore store = new PartitionStore(
            database,
            3,
            new Backoff.Settings(Duration.ofMillis(1), Duration.ofMillis(2)),
            state,
            stop,
            new IngestMetrics(meters, new LogCounters()));

    /** Fails a number of calls, then succeeds. */
    private static final class Database implements BatchStore {
        int failures;

        @Nullable
        Mark position;

        List<UnstoredMessage> notStored = List.of();
        final List<String> writes = new ArrayList<>();

        private void fail() throws StoreUnavailable {
            if (failures-- > 0) throw new StoreUnavailable("down", new IllegalStateException());
        }

        @Override
        public void prepare() {}

        @Override
        public Optional<StoredMark> position(int partition) throws StoreUnavailable {
            fail();
            return Optional.ofNullable(position).map(mark -> new StoredMark(mark, false));
        }

        @Override
        public List<UnstoredMessage> notStored(int partition, long after, int limit) {
            return notStored;
        }

        @Override
        public Outcome write(Batch batch, @Nullable Mark previous, boolean again) throws StoreUnavailable {
            writes.add((previous == null ? "none" : Long.toString(previous.position())) + (again ? " again" : ""));
            fail();
            if (previous == null ? position != null : !previous.equals(position)) return new Outcome.Fenced();
            if (batch.end() != null) position = batch.end();
            return new Outcome.Stored(1, 0, notStored.size(), 0, 0, notStored);
        }
    }

    private static Batch batch(@Nullable Mark end) {
        return new Batch(3, List.of(), List.of(), List.of(), end, Batch.Cause.TIME, false);
    }

    @Test
    void writeContinuesFromTheLoadedPositionAndMovesIt() {
        database.position = FIRST;
        assertThat(store.load()).hasValue(new Loaded(new StoredMark(FIRST, false), List.of()));
        assertThat(store.write(batch(SECOND))).isInstanceOf(Result.Stored.class);
        assertThat(store.write(batch(null))).isInstanceOf(Result.Stored.class);
        assertThat(store.position()).isEqualTo(SECOND);
        assertThat(database.writes).containsExactly("2047", "4095");
    }

    @Test
    void loadFailsWhileTheDatabaseIsUnavailable() {
        database.failures = 1;
        assertThat(store.load()).isEmpty();
        assertThat(state.isUp()).isFalse();
        assertThat(store.load()).hasValue(new Loaded(null, List.of()));
        assertThat(state.isUp()).isTrue();
    }

    @Test
    void failedWriteIsRetriedAsTheSameBatch() {
        database.failures = 2;
        assertThat(store.write(batch(FIRST))).isInstanceOf(Result.Stored.class);
        assertThat(database.writes).containsExactly("none", "none again", "none again");
        assertThat(meters.counter("persistence.retries").count()).isEqualTo(2);
        assertThat(state.isUp()).isTrue();
    }

    @Test
    void writeEndsAtTheStopLimit() {
        database.failures = Integer.MAX_VALUE;
        stop.give(Duration.ofMillis(20));
        assertThat(store.write(batch(FIRST))).isEqualTo(new Result.TimedOut());
        assertThat(store.position()).isNull();
    }

    @Test
    void movedPositionFencesTheWrite() {
        database.position = FIRST;
        assertThat(store.write(batch(SECOND))).isEqualTo(new Result.Fenced());
        assertThat(store.position()).isNull();
        assertThat(meters.counter("persistence.fenced").count()).isEqualTo(1);
    }

    @Test
    void onlyMessagesOfValidRoomsAndUsersAreReported() {
        UUID id = new UUID(1, 2);
        database.notStored = List.of(
                new UnstoredMessage(7, id, "lobby", "42"),
                new UnstoredMessage(8, id, "", "42"),
                new UnstoredMessage(9, id, null, "42"),
                new UnstoredMessage(10, id, "lobby", null));
        assertThat(store.write(batch(FIRST))).isInstanceOfSatisfying(Result.Stored.class, stored -> {
            assertThat(stored.deadLetters()).isEqualTo(4);
            assertThat(stored.notStored()).containsExactly(new NotStored(7, id, new RoomId("lobby"), "42"));
        });
    }
}
