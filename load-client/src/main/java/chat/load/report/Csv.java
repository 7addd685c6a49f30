package chat.load.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Writes and reads comma-separated values (RFC 4180 except for line ends). NaN is written as an empty cell. */
final class Csv {
    private static final MathContext DIGITS = new MathContext(9);
    private static final double EXACT = 1L << 53;

    private final StringBuilder text = new StringBuilder(1 << 12);

    Csv(String... header) {
        row((Object[]) header);
    }

    void row(Object... cells) {
        StringJoiner line = new StringJoiner(",", "", "\n");
        for (Object cell : cells)
            line.add(cell instanceof Double number ? number(number) : quoted(String.valueOf(cell)));
        text.append(line);
    }

    static String number(double value) {
        if (!Double.isFinite(value)) return "";
        // Whole numbers are written without a point; byte counts must stay exact.
        if (value == Math.rint(value) && Math.abs(value) < EXACT) return Long.toString((long) value);
        return new BigDecimal(value, DIGITS).stripTrailingZeros().toPlainString();
    }

    private static String quoted(String cell) {
        boolean plain = cell.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? cell : '"' + cell.replace("\"", "\"\"") + '"';
    }

    /**
     * Returns the cells of each row, without quotes.
     *
     * @throws IllegalArgumentException if a quote is not closed
     */
    static List<List<String>> read(String text) {
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted) {
                if (c != '"') cell.append(c);
                else if (i + 1 < text.length() && text.charAt(i + 1) == '"') cell.append(text.charAt(i++));
                else quoted = false;
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',' || c == '\n') {
                row.add(cell.toString());
                cell.setLength(0);
                if (c == '\n') {
                    rows.add(row);
                    row = new ArrayList<>();
                }
            } else if (c != '\r') {
                cell.append(c);
            }
        }
        if (quoted) throw new IllegalArgumentException("a quote is not closed");
        if (!row.isEmpty() || !cell.isEmpty()) {
            row.add(cell.toString());
            rows.add(row);
        }
        return rows;
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
