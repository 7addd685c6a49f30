package chat.server.rate;

import chat.admission.Rate;
import java.math.BigDecimal;
import java.util.Locale;

/** Whose messages a rate is about. */
public enum Bound {
    SESSION("one session"),
    USER("one user"),
    SERVER("all sessions of this server together");

    private final String whose;

    Bound(String whose) {
        this.whose = whose;
    }

    /** As metrics name it. */
    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** For who was refused. */
    String told(Rate rate) {
        String perSecond =
                BigDecimal.valueOf(rate.perSecond()).stripTrailingZeros().toPlainString();
        return "too fast: " + whose + " may send " + perSecond + " messages a second, " + rate.burst() + " at once";
    }
}
