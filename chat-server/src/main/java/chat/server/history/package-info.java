/** History read from the consumer's REST API. */
@NullMarked
package chat.server.history;

import org.jspecify.annotations.NullMarked;
