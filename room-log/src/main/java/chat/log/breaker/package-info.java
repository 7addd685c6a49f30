/** A circuit breaker in front of the log: what fails again and again is left alone for a while, then tried with care. */
@NullMarked
package chat.log.breaker;

import org.jspecify.annotations.NullMarked;
