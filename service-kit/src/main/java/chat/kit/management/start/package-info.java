/** Lines that a program logs at its start: where it listens; or which setting is wrong, and what is accepted. */
@NullMarked
package chat.kit.management.start;

import org.jspecify.annotations.NullMarked;
