/** Puts the consumer together: settings, pools, ingest, REST. */
@NullMarked
package chat.persistence;

import org.jspecify.annotations.NullMarked;
