package chat.server.identity;

import chat.kit.identity.Identity;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Checks the tokens that sessions send. Thread-safe; does not block. */
@FunctionalInterface
public interface TokenCheck {

    /**
     * Returns the identity that a token names; fails if the token is not accepted. The exception's message gives the
     * reason and contains no part of the token.
     */
    CompletionStage<Identity> identityOf(String token);

    /** Returns the reason of such a failure, for the client. */
    static String reason(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null || cause.getMessage() == null ? "the token is not accepted" : cause.getMessage();
    }
}
