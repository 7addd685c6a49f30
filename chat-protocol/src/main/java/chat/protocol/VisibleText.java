package chat.protocol;

/**
 * Detects texts that consist only of blanks and invisible characters. The page applies the same rule; both are tested
 * with the cases in {@code docs/reference/schemas/texts.json}.
 */
public final class VisibleText {
    /**
     * First and last code points of ranges, in order: Unicode's White_Space, Default_Ignorable_Code_Point and control
     * characters, and four more that fonts draw as nothing: U+2800, U+FFF9 to U+FFFB, U+1D159.
     */
    private static final int[] INVISIBLE = {
        0x0000, 0x0020, 0x007F, 0x00A0, 0x00AD, 0x00AD, 0x034F, 0x034F, 0x061C, 0x061C, 0x115F, 0x1160, 0x1680, 0x1680,
        0x17B4, 0x17B5, 0x180B, 0x180F, 0x2000, 0x200F, 0x2028, 0x202F, 0x205F, 0x206F, 0x2800, 0x2800, 0x3000, 0x3000,
        0x3164, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFEFF, 0xFFA0, 0xFFA0, 0xFFF0, 0xFFFB, 0x1BCA0, 0x1BCA3, 0x1D159,
        0x1D159, 0x1D173, 0x1D17A, 0xE0000, 0xE0FFF
    };

    private VisibleText() {}

    public static boolean isBlank(String text) {
        int codePoint;
        for (int i = 0; i < text.length(); i += Character.charCount(codePoint)) {
            codePoint = text.codePointAt(i);
            if (!isInvisible(codePoint)) return false;
        }
        return true;
    }

    static boolean isInvisible(int codePoint) {
        for (int i = 0; i < INVISIBLE.length && codePoint >= INVISIBLE[i]; i += 2)
            if (codePoint <= INVISIBLE[i + 1]) return true;
        return false;
    }

    /** Returns whether the text has half of a surrogate pair, which cannot be encoded in UTF-8. */
    static boolean hasUnpairedSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1)))
                i++;
            else if (Character.isSurrogate(c)) return true;
        }
        return false;
    }
}
