package chat.persistence.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailureLogTest {
    private final Logger logger = (Logger) LoggerFactory.getLogger(FailureLog.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
    private final FailureLog complaint = new FailureLog("Counting");

    @BeforeEach
    void begin() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void end() {
        logger.detachAppender(logged);
    }

    private List<Level> levels() {
        return logged.list.stream().map(ILoggingEvent::getLevel).toList();
    }

    @Test
    void repeatedFailureAndRecoveryAreLoggedOnce() {
        for (int i = 0; i < 3; i++) complaint.fails(new SQLException("gone " + i));
        for (int i = 0; i < 3; i++) complaint.works();
        assertThat(levels()).containsExactly(Level.WARN, Level.INFO);
    }

    @Test
    void bugIsLoggedOnce() {
        for (int i = 0; i < 3; i++) complaint.fails(new IllegalArgumentException("no first byte"));
        assertThat(levels()).containsExactly(Level.ERROR);
    }

    @Test
    void bugIsLoggedAfterADatabaseFailure() {
        complaint.fails(new SQLException("gone"));
        complaint.fails(new IllegalArgumentException("no first byte"));
        complaint.fails(new SQLException("gone"));
        assertThat(levels()).containsExactly(Level.WARN, Level.ERROR);
    }
}
