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

/** Everything that is logged while it is open, but for what only says that the machine had other things to do. */
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

    /** How much was logged. */
    public int lines() {
        return messages.size();
    }

    /** Nothing was worth a warning, and nobody has written lines of their own. */
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
