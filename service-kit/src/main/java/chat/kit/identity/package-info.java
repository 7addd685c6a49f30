/** Who somebody is and what it may do; and how a token that says so is signed. */
@NullMarked
package chat.kit.identity;

import org.jspecify.annotations.NullMarked;
