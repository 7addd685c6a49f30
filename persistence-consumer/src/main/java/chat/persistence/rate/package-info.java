/** How often clients may ask over REST. */
@NullMarked
package chat.persistence.rate;

import org.jspecify.annotations.NullMarked;
