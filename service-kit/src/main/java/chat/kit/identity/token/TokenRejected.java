package chat.kit.identity.token;

import java.util.Locale;
import org.springframework.http.HttpStatus;

/** Reports a rejected token. Has no stack trace, because it is used as a response, and nothing of the token. */
public final class TokenRejected extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** The reasons, for metrics and logs. */
    public enum Reason {
        /** The request has no token. */
        MISSING,
        /** More than one token, a token that is too long, or text that is not a token. */
        MALFORMED,
        /** The token is in the query, where it would end up in logs. */
        IN_QUERY,
        /** Not signed, not signed with the issuer's key, or signed with another algorithm than the configured one. */
        SIGNATURE,
        EXPIRED,
        NOT_YET_VALID,
        ISSUER,
        AUDIENCE,
        /** The token has no user id, or an invalid one. */
        USER,
        /** The token's name is not a valid display name. */
        NAME,
        /** The claims for rooms or roles have a wrong form. */
        CLAIMS,
        /** The issuer's keys are temporarily unavailable; the token may be valid. */
        KEYS_UNAVAILABLE;

        /** Returns the HTTP status. */
        public HttpStatus status() {
            return switch (this) {
                case IN_QUERY -> HttpStatus.BAD_REQUEST;
                case KEYS_UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
                case MISSING, MALFORMED, SIGNATURE, EXPIRED, NOT_YET_VALID, ISSUER, AUDIENCE, USER, NAME, CLAIMS ->
                    HttpStatus.UNAUTHORIZED;
            };
        }

        /** Returns the name for metrics: lower case, with hyphens. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public TokenRejected(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
