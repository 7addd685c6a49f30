/** Matrices: repeats the same load for every value of a setting or every server, and collects the results. */
@NullMarked
package chat.load.matrix;

import org.jspecify.annotations.NullMarked;
