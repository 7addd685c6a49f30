/** Checks the token of each upgrade, and responds to requests whose token is missing or invalid. */
@NullMarked
package chat.server.token;

import org.jspecify.annotations.NullMarked;
