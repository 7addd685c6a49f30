package chat.kit.management.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import chat.kit.admission.Rate;
import io.github.bucket4j.TimeMeter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RepeatedLineFilterTest {
    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> written = new ListAppender<>();
    private final RepeatedLines lines = new RepeatedLines(new Rate(0.001, 2), 100, TimeMeter.SYSTEM_NANOTIME);
    private final RepeatedLineFilter filter = new RepeatedLineFilter(lines, "the.report");

    @BeforeEach
    void setUp() {
        filter.start();
        written.addFilter(filter);
        written.start();
        context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(written);
    }

    @Test
    void lineWithOtherArgumentsOrAStackTraceIsEqual() {
        Logger logger = context.getLogger("chat.Loop");
        for (int i = 0; i < 50; i++)
            logger.atError()
                    .addKeyValue("confab.partition", i)
                    .setCause(new IllegalStateException("" + i))
                    .log("step {} failed", i);
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("step 0 failed", "step 1 failed");
    }

    @Test
    void reportIsNeverDropped() {
        for (int i = 0; i < 50; i++) context.getLogger("the.report").warn("left out");
        assertThat(written.list).hasSize(50);
    }

    @Test
    void stoppedFilterAcceptsEverything() {
        filter.stop();
        for (int i = 0; i < 50; i++) context.getLogger("chat.Loop").warn("same");
        assertThat(written.list).hasSize(50);
    }
}
