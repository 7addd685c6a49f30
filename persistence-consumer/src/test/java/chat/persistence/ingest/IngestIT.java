package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.persistence.Database;
import chat.persistence.Writer;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IngestIT {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final long LOG_BYTES = 64 << 20;

    private InMemoryRoomLog log = new InMemoryRoomLog(1, LOG_BYTES, Clock.systemUTC());
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void begin() {
        Database.empty();
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open.reversed()) each.close();
        log.close();
    }

    private Writer writer() throws InterruptedException {
        Writer writer = new Writer(log, 0);
        open.add(writer);
        return writer.ready();
    }

    private Consumer consumer() {
        return consumer(Consumer.SETTINGS);
    }

    private Consumer consumer(IngestSettings settings) {
        Consumer consumer = new Consumer(log, settings);
        open.add(consumer);
        return consumer;
    }

    private static void awaitRows(long rows) {
        await().atMost(SOON)
                .ignoreExceptions()
                .until(() -> Database.number("SELECT count(*) FROM messages"), count -> count >= rows);
    }

    /** Exactly what was accepted, each where it was accepted. */
    private static void assertStored(Map<UUID, Long> accepted) {
        awaitRows(accepted.size());
        Map<String, String> expected = new TreeMap<>();
        accepted.forEach((id, position) -> expected.put(id.toString(), position.toString()));
        Map<String, String> rows = new TreeMap<>();
        for (String row : Database.column("SELECT message_id || ' ' || position FROM messages"))
            rows.put(row.substring(0, 36), row.substring(37));
        assertThat(rows).isEqualTo(expected);
    }

    @Test
    void everyMessageIsStoredOnceWithItsPosition() throws Exception {
        Writer writer = writer();
        Consumer consumer = consumer();
        for (int i = 0; i < 2500; i++) writer.say("room-" + i % 7, "hello " + i);
        writer.join("room-1");
        assertStored(writer.accepted());
        await().atMost(SOON).until(() -> consumer.count("persistence.stored") == 2501);
        assertThat(consumer.count("persistence.duplicates")).isZero();
        assertThat(Database.column("SELECT DISTINCT host(client_ip) || ' ' || server_id || ' ' || user_id || ' '"
                        + " || username FROM messages"))
                .containsExactly("10.1.2.3 server-1 42 alice42");
        assertThat(Database.column("SELECT content FROM messages WHERE message_type = 'JOIN'"))
                .containsExactly((String) null);
    }
}
