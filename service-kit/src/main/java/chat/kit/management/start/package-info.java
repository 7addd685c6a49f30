/** Logs at startup where a program listens, or which setting is wrong and what is accepted. */
@NullMarked
package chat.kit.management.start;

import org.jspecify.annotations.NullMarked;
