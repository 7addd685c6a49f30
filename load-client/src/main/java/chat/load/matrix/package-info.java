/** Matrices: the same load against every value of a setting, or every server, again and again, and what came of it. */
@NullMarked
package chat.load.matrix;

import org.jspecify.annotations.NullMarked;
