package chat.kit.management.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/** Drops lines that were logged too often. */
final class RepeatedLineFilter extends Filter<ILoggingEvent> {
    private final RepeatedLines lines;
    private final String reporter;

    /** @param reporter logger whose lines always pass, because it reports the dropped lines */
    RepeatedLineFilter(RepeatedLines lines, String reporter) {
        this.lines = lines;
        this.reporter = reporter;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        // Logback cannot remove a filter; a stopped one accepts every line.
        if (!isStarted() || event.getLoggerName().equals(reporter)) return FilterReply.NEUTRAL;
        return lines.admits(event.getLoggerName(), event.getLevel().toInt(), String.valueOf(event.getMessage()))
                ? FilterReply.NEUTRAL
                : FilterReply.DENY;
    }
}
