package chat.persistence.rollup;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was stored in one transaction.
 *
 * @param disorder of times at its places in the log, at most, in milliseconds; null: its places are behind all that was
 *     stored before, so its own order tells
 */
record StoredRange(List<Event> events, @Nullable Long disorder) {}
