package chat.persistence.rollup;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages stored in one transaction.
 *
 * @param disorder maximum disorder of times at their positions in the log, in milliseconds; null: all positions are
 *     above those stored before, so it follows from the order of the events
 */
record StoredRange(List<Event> events, @Nullable Long disorder) {}
