/** The dashboard's page, and what it shows of this moment: figures of the chat servers and of the consumer itself. */
@NullMarked
package chat.persistence.dashboard;

import org.jspecify.annotations.NullMarked;
