/** Reads the log, one thread per partition, and stores the position together with the rows. */
@NullMarked
package chat.persistence.ingest;

import org.jspecify.annotations.NullMarked;
