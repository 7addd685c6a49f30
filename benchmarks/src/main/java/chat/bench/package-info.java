/** The command {@code ./bench}: the parts of the message path by JMH, and two ways of reading streams. */
@NullMarked
package chat.bench;

import org.jspecify.annotations.NullMarked;
