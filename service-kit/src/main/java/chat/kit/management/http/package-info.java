/** Limits the number, size and duration of HTTP connections and responses of one port. */
@NullMarked
package chat.kit.management.http;

import org.jspecify.annotations.NullMarked;
