/** Verifies tokens: first the signature, then issuer and audience, then the other claims. */
@NullMarked
package chat.kit.identity.token;

import org.jspecify.annotations.NullMarked;
