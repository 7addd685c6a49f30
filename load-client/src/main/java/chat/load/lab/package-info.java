/** The laboratory: sweeps, comparisons, sampling, diagnosis, queries and the measurement of the load client itself. */
@NullMarked
package chat.load.lab;

import org.jspecify.annotations.NullMarked;
