/**
 * A circuit breaker around the log: after repeated failures it rejects entries for a while, then lets a few probes
 * through.
 */
@NullMarked
package chat.log.breaker;

import org.jspecify.annotations.NullMarked;
