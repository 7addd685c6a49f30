/** Reports: latencies, counters, the progress line, and the summary as text, JSON and HTML. */
@NullMarked
package chat.load.report;

import org.jspecify.annotations.NullMarked;
