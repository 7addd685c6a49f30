/** Who may come in. */
@NullMarked
package chat.server.limit;

import org.jspecify.annotations.NullMarked;
