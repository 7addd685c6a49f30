/** Matrices: repeats the same load for every value of a setting or every server, and collects the results. */
@NullMarked
package chat.load.lab.matrix;

import org.jspecify.annotations.NullMarked;
