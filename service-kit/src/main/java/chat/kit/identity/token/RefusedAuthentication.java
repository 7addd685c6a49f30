package chat.kit.identity.token;

import org.jspecify.annotations.Nullable;
import org.springframework.security.core.AuthenticationException;

/** A {@link TokenRejected} on its way through Spring Security. */
public final class RefusedAuthentication extends AuthenticationException {
    private static final long serialVersionUID = 1;

    private final TokenRejected why;

    RefusedAuthentication(TokenRejected why) {
        super(String.valueOf(why.getMessage()), why);
        this.why = why;
    }

    /** Of whatever an authentication failed with. */
    public static TokenRejected.Reason reason(AuthenticationException failure) {
        return failure instanceof RefusedAuthentication refused ? refused.why.reason() : TokenRejected.Reason.MISSING;
    }

    /** The fault of the token, for its client; nothing of the token itself. */
    public static @Nullable String detail(AuthenticationException failure) {
        return failure instanceof RefusedAuthentication refused ? refused.why.getMessage() : null;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this; // an answer, and a cheap one
    }
}
