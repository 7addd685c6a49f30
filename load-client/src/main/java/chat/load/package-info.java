/** Implements the command line: reads options, wires plan, driver, checker and report, and sets the exit code. */
@NullMarked
package chat.load;

import org.jspecify.annotations.NullMarked;
