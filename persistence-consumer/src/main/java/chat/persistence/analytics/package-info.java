/** Answers questions about what is stored, over REST. */
@NullMarked
package chat.persistence.analytics;

import org.jspecify.annotations.NullMarked;
