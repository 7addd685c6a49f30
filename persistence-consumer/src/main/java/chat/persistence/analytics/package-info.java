/** Answers REST queries about stored messages. */
@NullMarked
package chat.persistence.analytics;

import org.jspecify.annotations.NullMarked;
