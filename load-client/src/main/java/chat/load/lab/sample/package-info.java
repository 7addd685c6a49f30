/** Samples of the machine, the processes and the platform's metrics during a run, once per second. */
@NullMarked
package chat.load.lab.sample;

import org.jspecify.annotations.NullMarked;
