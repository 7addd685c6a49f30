/** Extends the management port of both programs: flight recording, Netty metrics, and 404 for invalid health paths. */
@NullMarked
package chat.kit.management;

import org.jspecify.annotations.NullMarked;
