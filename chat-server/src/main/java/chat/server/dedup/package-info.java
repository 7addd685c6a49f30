/** Recognizes messages that are in the log twice, and different messages under one id. */
@NullMarked
package chat.server.dedup;

import org.jspecify.annotations.NullMarked;
