/** How fast clients may come in and speak: at once, in their turn, or not now. */
@NullMarked
package chat.server.rate;

import org.jspecify.annotations.NullMarked;
