/** The chat server: wiring and settings. */
@NullMarked
package chat.server;

import org.jspecify.annotations.NullMarked;
