/** Who a client is, behind whatever proxies, and how often it may ask. */
@NullMarked
package chat.kit.admission;

import org.jspecify.annotations.NullMarked;
