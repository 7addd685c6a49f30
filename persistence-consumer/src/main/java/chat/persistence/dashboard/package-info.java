/** Serves the dashboard page and current figures of the chat servers and the consumer. */
@NullMarked
package chat.persistence.dashboard;

import org.jspecify.annotations.NullMarked;
