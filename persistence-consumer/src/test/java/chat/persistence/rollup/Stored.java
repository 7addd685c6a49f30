package chat.persistence.rollup;

import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.MessageRow;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import chat.protocol.MessageType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.ToIntFunction;

/** A database with messages in it, stored as the consumer stores them, and roll-ups that are folded when told to. */
public final class Stored implements AutoCloseable {
    /** The time of the first message. */
    public static final Instant START = Instant.parse("2026-11-18T22:58:30.250Z");

    private static final int BATCH = 500;

    public final Pools pools;
    public final PostgresStore store;
    public final Rollups rollups;
    private long position;

    /** On an empty database, unless there is something that an earlier version has left. */
    public Stored() throws Exception {
        pools = new Pools(
                Database.properties(
                        Database.node().jdbcUrl(),
                        Duration.ofSeconds(10),
                        new PostgresProperties.Reading(4, Duration.ofSeconds(5)),
                        new PostgresProperties.Aggregating(Duration.ofMinutes(1))),
                3,
                new SimpleMeterRegistry());
        store = new PostgresStore(pools.writing(), new PendingRollups(), Clock.systemUTC());
        store.prepare();
        rollups = new Rollups(
                pools.aggregating(),
                new RollupSettings(Duration.ofSeconds(1), Duration.ofMinutes(1)),
                new SimpleMeterRegistry(),
                Clock.systemUTC());
    }

    /** The senders: a number of users, with skewed or even shares of the messages. */
    public enum Users implements ToIntFunction<Random> {
        UNIFORM,
        ZIPF;

        private static final int NUMBER = 400;

        @Override
        public int applyAsInt(Random random) {
            return switch (this) {
                case UNIFORM -> random.nextInt(NUMBER);
                // Of weight 1/n: n has the distribution of e to the power of something uniform.
                case ZIPF -> (int) Math.exp(random.nextDouble() * Math.log(NUMBER)) - 1;
            };
        }
    }

    public MessageRow row(String room, int user, long millis) {
        long at = position++;
        return row(new UUID(at << 16 | 0x7000, at), at, room, user, millis);
    }

    private static MessageRow row(UUID id, long at, String room, int user, long millis) {
        boolean text = at % 10 != 0;
        return new MessageRow(
                id,
                room,
                "user-" + user,
                "name" + user,
                text ? MessageType.TEXT : MessageType.JOIN,
                text ? "text " + at : null,
                millis,
                at,
                "server-1",
                null,
                new byte[] {1});
    }

    public Outcome store(List<MessageRow> rows) throws Exception {
        return store(rows, Batch.Cause.SIZE);
    }

    /** As a replayed dead letter: others whose places lie behind were stored before. */
    Outcome storeLate(List<MessageRow> rows) throws Exception {
        return store(rows, Batch.Cause.REPLAY);
    }

    private Outcome store(List<MessageRow> rows, Batch.Cause cause) throws Exception {
        return store.write(new Batch(0, rows, List.of(), List.of(), null, cause, false), null, false);
    }

    /** Over three days, some out of order, some of them sent twice. */
    public void storeMessages(int messages, Users users, long seed) throws Exception {
        Random random = new Random(seed);
        List<MessageRow> batch = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            long millis = START.toEpochMilli() + i * Duration.ofDays(3).toMillis() / messages - random.nextInt(5_000);
            MessageRow row = row("room-" + random.nextInt(12), users.applyAsInt(random), millis);
            batch.add(row);
            if (random.nextInt(20) == 0)
                batch.add(row(
                        row.messageId(),
                        row.position(),
                        row.roomId(),
                        Integer.parseInt(row.userId().substring(5)),
                        row.type() == MessageType.TEXT ? millis + 7 : millis)); // a JOIN of another time is another one
            if (batch.size() >= BATCH || i == messages - 1) {
                Outcome unused = store(batch);
                batch.clear();
            }
        }
    }

    @Override
    public void close() {
        pools.close();
    }
}
