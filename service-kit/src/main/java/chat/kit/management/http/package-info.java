/** What HTTP connections and responses of one port may hold, and how long. */
@NullMarked
package chat.kit.management.http;

import org.jspecify.annotations.NullMarked;
