/** What a program says that does not start: which setting is wrong, what is accepted, and which variables set it. */
@NullMarked
package chat.management.start;

import org.jspecify.annotations.NullMarked;
