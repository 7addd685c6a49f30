/** The command line: reads the options, wires plan, driver, checker and report, and says by exit code how it went. */
@NullMarked
package chat.load;

import org.jspecify.annotations.NullMarked;
