package chat.testing;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/** Records the log while it is open, except lines that only report a slow machine. */
public final class LogWatch extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final Pattern LATE = Pattern.compile(" took \\d+ ms$");

    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final List<String> complaints = new CopyOnWriteArrayList<>();
    private final List<String> messages = new CopyOnWriteArrayList<>();

    private LogWatch() {}

    public static LogWatch begin() {
        LogWatch watch = new LogWatch();
        watch.start();
        watch.root.addAppender(watch);
        return watch;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (LATE.matcher(event.getFormattedMessage()).find()) return;
        messages.add(event.getFormattedMessage());
        if (event.getLevel().isGreaterOrEqual(Level.WARN))
            complaints.add(event.getLevel() + " " + event.getLoggerName() + ": " + event.getFormattedMessage()
                    + (event.getThrowableProxy() == null ? "" : " with a stack trace"));
    }

    /** Returns the number of lines logged. */
    public int lines() {
        return messages.size();
    }

    /** Asserts that there was no warning, and that no input injected lines into the log. */
    public void assertQuiet() {
        assertThat(complaints).isEmpty();
        assertOneLinePerEvent();
    }

    public void assertOneLinePerEvent() {
        assertThat(messages).noneMatch(message -> message.codePoints().anyMatch(Character::isISOControl));
    }

    @Override
    public void close() {
        root.detachAppender(this);
    }
}
