/** What programs tell of their metrics, read. */
@NullMarked
package chat.exposition;

import org.jspecify.annotations.NullMarked;
