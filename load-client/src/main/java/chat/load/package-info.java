/** Implements the command line: reads options and wires the run and the laboratory. */
@NullMarked
package chat.load;

import org.jspecify.annotations.NullMarked;
