package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RejectionLogTest {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    private final Logger logger = (Logger) LoggerFactory.getLogger(RejectionLog.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_500_000_000); // it may wrap around
    private final RejectionLog log = new RejectionLog(new ConnectionLimit(7, RETRY_AFTER), nanos::get);

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    @Test
    void floodIsLoggedOncePerSecondWithReasonAndCount() {
        for (int second = 0; second < 3; second++) {
            for (int i = 0; i < 1000; i++) log.rejected(Rejection.unavailable(RETRY_AFTER, "full"));
            nanos.addAndGet(1_000_000_000);
        }
        log.rejected(Rejection.forbidden("origin"));
        assertThat(lines.list)
                .extracting(ILoggingEvent::getLevel)
                .containsExactly(Level.WARN, Level.WARN, Level.WARN, Level.INFO);
        JsonNode first = JsonMapper.shared().readTree(lines.list.getFirst().getFormattedMessage());
        assertThat(first.toString())
                .isEqualTo("{\"current_connections\":0,\"max_connections\":7,\"reason\":\"full\",\"refused\":1,"
                        + "\"message\":\"Server overloaded\"}");
        JsonNode last = JsonMapper.shared().readTree(lines.list.getLast().getFormattedMessage());
        assertThat(last.get("refused").asInt()).isEqualTo(1000);
        assertThat(last.get("reason").asString()).isEqualTo("origin");
    }

    @Test
    void overloadIsLoggedWithItsReadingAndMarks() {
        log.rejected(Rejection.unavailable(RETRY_AFTER, "event-loop").with(new Rejection.Measured(612.5, 500, 100)));
        assertThat(lines.list.getFirst().getFormattedMessage())
                .isEqualTo(
                        "{\"current_connections\":0,\"max_connections\":7,\"reason\":\"event-loop\",\"reading\":612.50,"
                                + "\"high\":500.00,\"low\":100.00,\"refused\":1,\"message\":\"Server overloaded\"}");
    }
}
