/** Provides shared test tools: tables of hostile input, raw HTTP, and recording of the log. */
@NullMarked
package chat.testing;

import org.jspecify.annotations.NullMarked;
