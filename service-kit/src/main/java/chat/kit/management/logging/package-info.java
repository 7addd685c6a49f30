/** Limits repeated lines in the programs' logs. */
@NullMarked
package chat.kit.management.logging;

import org.jspecify.annotations.NullMarked;
