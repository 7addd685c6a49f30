/** Limits the rate of REST requests per client. */
@NullMarked
package chat.persistence.rate;

import org.jspecify.annotations.NullMarked;
