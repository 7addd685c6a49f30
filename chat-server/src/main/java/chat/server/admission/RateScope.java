package chat.server.admission;

import chat.kit.admission.Rate;
import java.math.BigDecimal;
import java.util.Locale;

/** Whose messages a rate is about, and which. */
public enum RateScope {
    SESSION("one session may send", "messages"),
    USER("one user may send", "messages"),
    /** Where tokens say who a user is. */
    USER_JOINS("one user may join", "rooms"),
    /** Where tokens say who a user is: rooms that the server does not know. */
    USER_NEW_ROOMS("one user may join", "rooms that are new to this server"),
    SERVER("all sessions of this server together may send", "messages");

    private final String what;
    private final String objects;

    RateScope(String what, String objects) {
        this.what = what;
        this.objects = objects;
    }

    /** As metrics name it. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** For who was refused. */
    String told(Rate rate) {
        String perSecond =
                BigDecimal.valueOf(rate.perSecond()).stripTrailingZeros().toPlainString();
        return "too fast: " + what + " " + perSecond + " " + objects + " a second, " + rate.burst() + " at once";
    }
}
