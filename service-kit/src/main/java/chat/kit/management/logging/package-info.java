/** The log that programs write for their operators: what is said over and over is said seldom. */
@NullMarked
package chat.kit.management.logging;

import org.jspecify.annotations.NullMarked;
