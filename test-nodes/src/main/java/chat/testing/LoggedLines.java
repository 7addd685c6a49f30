package chat.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** Records the lines of one logger and its children while it is open. */
public final class LoggedLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger;
    private final List<ILoggingEvent> lines = new CopyOnWriteArrayList<>();

    private LoggedLines(Logger logger) {
        this.logger = logger;
    }

    /** @param from minimum level of the logger while this is open */
    public static LoggedLines of(String logger, Level from) {
        LoggedLines lines = new LoggedLines((Logger) LoggerFactory.getLogger(logger));
        lines.start();
        lines.logger.addAppender(lines);
        lines.logger.setLevel(from);
        return lines;
    }

    @Override
    protected void append(ILoggingEvent line) {
        lines.add(line);
    }

    public List<String> texts() {
        return lines.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    /** Returns the texts of the lines whose field has this value. */
    public List<String> texts(String field, Object value) {
        return lines.stream()
                .filter(line -> values(line, field).anyMatch(value.toString()::equals))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** Returns the values of a field, in order. */
    public List<String> values(String field) {
        return lines.stream().flatMap(line -> values(line, field)).toList();
    }

    private static Stream<String> values(ILoggingEvent line, String field) {
        if (line.getKeyValuePairs() == null) return Stream.empty();
        return line.getKeyValuePairs().stream()
                .filter(pair -> pair.key.equals(field))
                .map(pair -> String.valueOf(pair.value));
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(null);
    }
}
