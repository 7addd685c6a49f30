package chat.kit.identity.token;

import java.util.Locale;
import org.springframework.http.HttpStatus;

/** A token that lets nobody in. It carries no trace, as it is an answer, and nothing of the token. */
public final class TokenRejected extends Exception {
    private static final long serialVersionUID = 1;

    private final Reason reason;

    /** Why; a fixed few, for metrics and logs. */
    public enum Reason {
        /** There is none. */
        MISSING,
        /** More than one, or longer than one may be, or not a token at all. */
        MALFORMED,
        /** It stands where tokens end up in logs. */
        IN_QUERY,
        /** Not signed, or not by the issuer's key, or by another algorithm than the one that is set. */
        SIGNATURE,
        EXPIRED,
        NOT_YET_VALID,
        ISSUER,
        AUDIENCE,
        /** It names no user, or one that cannot be one here. */
        USER,
        /** Its name cannot be a display name. */
        NAME,
        /** What it says of rooms or roles cannot be understood. */
        CLAIMS,
        /** The issuer's keys can't be had at the moment: nobody's fault who has a token. */
        KEYS_UNAVAILABLE;

        /** What HTTP says to it. */
        public HttpStatus status() {
            return switch (this) {
                case IN_QUERY -> HttpStatus.BAD_REQUEST;
                case KEYS_UNAVAILABLE -> HttpStatus.SERVICE_UNAVAILABLE;
                case MISSING, MALFORMED, SIGNATURE, EXPIRED, NOT_YET_VALID, ISSUER, AUDIENCE, USER, NAME, CLAIMS ->
                    HttpStatus.UNAUTHORIZED;
            };
        }

        /** For metrics: lower case, with hyphens. */
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
