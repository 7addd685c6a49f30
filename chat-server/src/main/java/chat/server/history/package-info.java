/** The history as the consumer's REST tells it. */
@NullMarked
package chat.server.history;

import org.jspecify.annotations.NullMarked;
