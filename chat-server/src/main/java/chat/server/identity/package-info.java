/** Who a session is, and what that lets it do: asked for each JOIN and TEXT, and told anew by a new token. */
@NullMarked
package chat.server.identity;

import org.jspecify.annotations.NullMarked;
