/** Wires the consumer: settings, pools, ingest, REST. */
@NullMarked
package chat.persistence;

import org.jspecify.annotations.NullMarked;
