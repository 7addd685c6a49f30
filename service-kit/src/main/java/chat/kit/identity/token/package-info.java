/** Reads tokens: their signature first, then whom they are from and for, then what they say. */
@NullMarked
package chat.kit.identity.token;

import org.jspecify.annotations.NullMarked;
