/** How each kind of chat server is spoken to: what members say, and what its frames mean, without sockets. */
@NullMarked
package chat.load.dialect;

import org.jspecify.annotations.NullMarked;
