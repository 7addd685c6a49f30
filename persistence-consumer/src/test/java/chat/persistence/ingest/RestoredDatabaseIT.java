package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.persistence.Database;
import chat.persistence.Writer;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The database was restored to an earlier state while the log continued. */
class RestoredDatabaseIT {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final String ROWS = "SELECT message_id || ' ' || position FROM messages ORDER BY position";

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
    private Writer writer;
    private Consumer consumer;

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        writer = new Writer(log, 0).awaitStarted();
        consumer = new Consumer(new LastingLog(log), Consumer.SETTINGS);
    }

    @AfterEach
    void end() {
        writer.close();
        consumer.close();
        log.close();
    }

    /** Each in an entry of its own. */
    private void say(int messages) {
        for (int i = 0; i < messages; i++) {
            writer.say("7", "hello " + i);
            writer.accepted();
        }
    }

    private void awaitStored() {
        List<String> accepted = rows(writer.accepted());
        await().atMost(SOON)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(Database.column(ROWS)).isEqualTo(accepted));
    }

    private static List<String> rows(Map<UUID, Long> accepted) {
        return accepted.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(message -> message.getKey() + " " + message.getValue())
                .toList();
    }

    /** Remembers the stored position. */
    private void backUp() {
        awaitStored();
        Database.execute("CREATE TABLE backed_up AS TABLE log_position");
    }

    /** Rows and positions are written in one transaction, so those of an earlier state are consistent. */
    private static void restore() {
        Database.execute("""
                WITH restored AS (
                    UPDATE log_position AS p SET position = b.position, epoch = b.epoch, log_offset = b.log_offset,
                        incarnation = b.incarnation, sequence = b.sequence
                    FROM backed_up AS b WHERE p.partition = b.partition)
                DELETE FROM messages USING backed_up AS b WHERE messages.position > b.position
                """);
    }

    private void startAgain() {
        consumer = new Consumer(new LastingLog(log), Consumer.SETTINGS);
    }

    @Test
    void restoredDatabaseStoresLaterMessagesAgain() {
        say(20);
        backUp();
        say(20);
        awaitStored();
        consumer.close();
        restore();
        assertThat(Database.number("SELECT count(*) FROM messages")).isEqualTo(20);
        startAgain();
        awaitStored();
        await().until(() -> consumer.count("persistence.stored") == 20); // incremented after the commit
        assertThat(consumer.count("persistence.duplicates")).isZero();
        assertThat(Database.number("SELECT count(*) FROM log_gap")).isZero();
    }

    @Test
    void runningConsumerIsFencedAndContinuesAtTheRestoredPosition() {
        say(20);
        backUp();
        say(20);
        awaitStored();
        restore();
        say(1);
        awaitStored();
        assertThat(consumer.count("persistence.fenced")).isPositive();
        assertThat(Database.number("SELECT count(*) FROM log_gap")).isZero();
    }

    @Test
    void truncatedLogIsRecordedAsAGap() {
        say(20);
        backUp();
        say(2 * 128);
        awaitStored();
        consumer.close();
        restore();
        log.release(0, Long.MAX_VALUE - 1); // as retention does: only the last entries are left
        startAgain();
        say(1);
        await().atMost(SOON).until(() -> consumer.count("persistence.gaps") == 1);
        List<String> accepted = rows(writer.accepted());
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(Database.column(ROWS)).endsWith(accepted.getLast()));
        assertThat(Database.column("SELECT reason FROM log_gap")).containsExactly("TRUNCATED");
        List<String> stored = Database.column(ROWS);
        List<String> missing =
                accepted.stream().filter(row -> !stored.contains(row)).toList();
        assertThat(missing).isNotEmpty();
        // All missing positions are in the gap.
        for (String row : missing) {
            String position = row.substring(37);
            assertThat(Database.number("SELECT count(*) FROM log_gap WHERE " + position + " > from_position AND "
                            + position + " <= to_position"))
                    .isEqualTo(1);
        }
    }
}
