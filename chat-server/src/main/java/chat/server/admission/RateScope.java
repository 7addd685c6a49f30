package chat.server.admission;

import chat.kit.admission.Rate;
import java.math.BigDecimal;
import java.util.Locale;

/** The scope of a rate limit: which senders share a bucket, and what it counts. */
public enum RateScope {
    SESSION("one session may send", "messages"),
    USER("one user may send", "messages"),
    /** Requires tokens. */
    USER_JOINS("one user may join", "rooms"),
    /** Requires tokens. Counts JOINs of rooms that the server does not know. */
    USER_NEW_ROOMS("one user may join", "rooms that are new to this server"),
    SERVER("all sessions of this server together may send", "messages");

    private final String subject;
    private final String objects;

    RateScope(String subject, String objects) {
        this.subject = subject;
        this.objects = objects;
    }

    /** The name in metrics. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The message for a rejected client. */
    String message(Rate rate) {
        String perSecond =
                BigDecimal.valueOf(rate.perSecond()).stripTrailingZeros().toPlainString();
        return "too fast: " + subject + " " + perSecond + " " + objects + " a second, " + rate.burst() + " at once";
    }
}
