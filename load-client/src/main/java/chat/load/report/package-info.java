/** What people read: latencies, counters, the progress line, and the summary as text and JSON. */
@NullMarked
package chat.load.report;

import org.jspecify.annotations.NullMarked;
