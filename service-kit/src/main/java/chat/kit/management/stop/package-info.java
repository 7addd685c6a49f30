/** Stops a program in order and reports the result in its exit code. */
@NullMarked
package chat.kit.management.stop;

import org.jspecify.annotations.NullMarked;
