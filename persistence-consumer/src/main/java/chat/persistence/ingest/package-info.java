/** Reads the log, one thread for each partition, and keeps the position with the rows. */
@NullMarked
package chat.persistence.ingest;

import org.jspecify.annotations.NullMarked;
