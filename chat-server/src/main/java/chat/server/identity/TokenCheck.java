package chat.server.identity;

import chat.kit.identity.Identity;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads tokens that sessions bring. Thread-safe, does not block. */
@FunctionalInterface
public interface TokenCheck {

    /** Fails where the token lets nobody in; the exception's message says why and nothing of the token. */
    CompletionStage<Identity> identityOf(String token);

    /** What such a failure says, for the client. */
    static String reason(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause == null || cause.getMessage() == null ? "the token is refused" : cause.getMessage();
    }
}
