/** How a program ends that is told to: in order, and saying by its exit code whether it did. */
@NullMarked
package chat.kit.management.stop;

import org.jspecify.annotations.NullMarked;
