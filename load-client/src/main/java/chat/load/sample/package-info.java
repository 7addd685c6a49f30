/** What the machine, the processes and the platform's own metrics say about a run, once a second. */
@NullMarked
package chat.load.sample;

import org.jspecify.annotations.NullMarked;
