/** What an idle server does not need of the heap. */
@NullMarked
package chat.server.memory;

import org.jspecify.annotations.NullMarked;
