/** Checks the token of each upgrade: where a request carries it, and the responses to missing or invalid ones. */
@NullMarked
package chat.server.token;

import org.jspecify.annotations.NullMarked;
