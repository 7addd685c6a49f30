package chat.protocol;

import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/** The rule for the name that people see: any script, and nothing that could hide or reorder what stands around it. */
public final class DisplayName {
    /** In code points. */
    public static final int MAX_LENGTH = 64;

    public static final String RULE = "1 to " + MAX_LENGTH
            + " characters of any script in Unicode form NFC, at least one of them visible, without control characters,"
            + " line breaks and bidirectional overrides";

    private DisplayName() {}

    /** The fault of a name, to follow the name of its field; null if the name is valid. */
    public static @Nullable String faultOf(String name) {
        if (VisibleText.hasUnpairedSurrogate(name)) return "must not hold an unpaired surrogate";
        int length = name.codePointCount(0, name.length());
        if (length < 1 || length > MAX_LENGTH) return "must be 1 to " + MAX_LENGTH + " characters, not " + length;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029')
                return "must not hold control characters or line breaks";
            if ((c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069'))
                return "must not hold bidirectional overrides (U+202A to U+202E, U+2066 to U+2069)";
        }
        if (VisibleText.isBlank(name)) return "must hold at least one visible character";
        if (!Normalizer.isNormalized(name, Normalizer.Form.NFC)) return "must be in Unicode form NFC";
        return null;
    }
}
