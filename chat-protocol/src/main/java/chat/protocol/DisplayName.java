package chat.protocol;

import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/** Validates display names: any script, but no characters that could hide or reorder the surrounding text. */
public final class DisplayName {
    /** Maximum length in code points. */
    public static final int MAX_LENGTH = 64;

    public static final String RULE = "1 to " + MAX_LENGTH
            + " characters of any script in Unicode form NFC, at least one of them visible, without control characters,"
            + " line breaks or bidirectional overrides";

    private DisplayName() {}

    /** Returns the fault of a name, phrased to follow the field's name; null if the name is valid. */
    public static @Nullable String faultOf(String name) {
        if (VisibleText.hasUnpairedSurrogate(name)) return "must not contain an unpaired surrogate";
        int length = name.codePointCount(0, name.length());
        if (length < 1 || length > MAX_LENGTH) return "must be 1 to " + MAX_LENGTH + " characters, not " + length;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029')
                return "must not contain control characters or line breaks";
            if ((c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069'))
                return "must not contain bidirectional overrides (U+202A to U+202E, U+2066 to U+2069)";
        }
        if (VisibleText.isBlank(name)) return "must contain at least one visible character";
        if (!Normalizer.isNormalized(name, Normalizer.Form.NFC)) return "must be in Unicode form NFC";
        return null;
    }
}
