/** Starts and stops the programs of a platform on one machine. */
@NullMarked
package chat.launcher.platform;

import org.jspecify.annotations.NullMarked;
