package chat.kit.identity.token;

import org.jspecify.annotations.Nullable;
import org.springframework.security.core.AuthenticationException;

/** Wraps a {@link TokenRejected} for Spring Security. */
public final class RefusedAuthentication extends AuthenticationException {
    private static final long serialVersionUID = 1;

    private final TokenRejected why;

    RefusedAuthentication(TokenRejected why) {
        super(String.valueOf(why.getMessage()), why);
        this.why = why;
    }

    /** Returns the rejection for any failure of an authentication. */
    public static TokenRejected.Reason reason(AuthenticationException failure) {
        return failure instanceof RefusedAuthentication refused ? refused.why.reason() : TokenRejected.Reason.MISSING;
    }

    /** Returns the fault of the token, for its client, without the token itself. */
    public static @Nullable String detail(AuthenticationException failure) {
        return failure instanceof RefusedAuthentication refused ? refused.why.getMessage() : null;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this; // used as a response: no stack trace
    }
}
