/** Executes one scenario: warms up, chats, reads stored messages back, judges the result and writes the report. */
@NullMarked
package chat.load.run;

import org.jspecify.annotations.NullMarked;
