/** Defines users' identities and rights, and signs tokens for trials. */
@NullMarked
package chat.kit.identity;

import org.jspecify.annotations.NullMarked;
