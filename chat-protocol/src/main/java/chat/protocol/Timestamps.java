package chat.protocol;

import java.time.DateTimeException;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;

/** Validates ISO-8601 times, without allocation for the form that nearly all clients send. */
final class Timestamps {
    private static final String COMMON_FORM = "dddd-dd-ddTdd:dd:dd";

    private Timestamps() {}

    static boolean isIso8601(String text) {
        return isCommonForm(text) || parses(text);
    }

    /** Returns whether the text has the form {@code 2026-11-20T10:00:00[.fraction]Z} and is a valid date. */
    static boolean isCommonForm(String text) {
        int length = text.length();
        int form = COMMON_FORM.length();
        if (length <= form || length > form + 11 || text.charAt(length - 1) != 'Z') return false;
        for (int i = 0; i < form; i++) {
            char wanted = COMMON_FORM.charAt(i);
            char c = text.charAt(i);
            if (wanted == 'd' ? !isDigit(c) : c != wanted) return false;
        }
        if (length > form + 1) {
            if (text.charAt(form) != '.' || length == form + 2) return false;
            for (int i = form + 1; i < length - 1; i++) if (!isDigit(text.charAt(i))) return false;
        }
        return isDay(twoDigits(text, 0) * 100 + twoDigits(text, 2), twoDigits(text, 5), twoDigits(text, 8))
                && twoDigits(text, 11) <= 23
                && twoDigits(text, 14) <= 59
                && twoDigits(text, 17) <= 59;
    }

    private static boolean isDay(int year, int month, int day) {
        return month >= 1 && month <= 12 && day >= 1 && day <= Month.of(month).length(Year.isLeap(year));
    }

    private static boolean parses(String text) {
        if (text.length() > 64) return false;
        try {
            OffsetDateTime unused = OffsetDateTime.parse(text);
            return true;
        } catch (DateTimeException notATime) {
            return false;
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static int twoDigits(String text, int at) {
        return (text.charAt(at) - '0') * 10 + (text.charAt(at + 1) - '0');
    }
}
