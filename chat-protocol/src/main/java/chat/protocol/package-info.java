/** Defines the protocol between clients and servers: frames, messages, codes and their JSON. */
@NullMarked
package chat.protocol;

import org.jspecify.annotations.NullMarked;
