/** What clients and servers say to each other: frames, messages, codes, and their JSON. */
@NullMarked
package chat.protocol;

import org.jspecify.annotations.NullMarked;
