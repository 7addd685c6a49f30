/** Protocols of the supported chat servers: what members send and how frames are parsed, without sockets. */
@NullMarked
package chat.load.dialect;

import org.jspecify.annotations.NullMarked;
