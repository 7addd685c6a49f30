/** Where results go. */
@NullMarked
package chat.bench.result;

import org.jspecify.annotations.NullMarked;
