/** Identifies clients, also behind proxies, validates their requests, and limits their rates. */
@NullMarked
package chat.kit.admission;

import org.jspecify.annotations.NullMarked;
