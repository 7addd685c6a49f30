package chat.kit.management.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/** Keeps lines from an appender that were written too often already. */
final class RepeatedLineFilter extends Filter<ILoggingEvent> {
    private final RepeatedLines lines;
    private final String reporter;

    /** @param reporter logger whose lines all pass: it says what was left out */
    RepeatedLineFilter(RepeatedLines lines, String reporter) {
        this.lines = lines;
        this.reporter = reporter;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        // Logback has no way to take a filter off again: a stopped one lets everything pass.
        if (!isStarted() || event.getLoggerName().equals(reporter)) return FilterReply.NEUTRAL;
        return lines.admits(event.getLoggerName(), event.getLevel().toInt(), String.valueOf(event.getMessage()))
                ? FilterReply.NEUTRAL
                : FilterReply.DENY;
    }
}
