package chat.load.lab.matrix;

import java.util.ArrayList;
import java.util.List;

/** Formats columns as wide as necessary: the first ones left-aligned, numbers right-aligned. */
final class TextTable {
    private final int left;
    private final List<List<String>> rows = new ArrayList<>();

    /** @param left number of left-aligned columns */
    TextTable(int left) {
        this.left = left;
    }

    void row(List<String> cells) {
        rows.add(List.copyOf(cells));
    }

    @Override
    public String toString() {
        int columns = rows.stream().mapToInt(List::size).max().orElse(0);
        int[] widths = new int[columns];
        for (List<String> row : rows)
            for (int i = 0; i < row.size(); i++)
                widths[i] = Math.max(widths[i], row.get(i).length());
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                if (i > 0) line.append("  ");
                String padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(i < left ? row.get(i) + padding : padding + row.get(i));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }
}
