package chat.bench.streams;

import java.util.List;
import java.util.Locale;

/** Formats results as a Markdown table. */
final class Table {
    private Table() {}

    static String of(List<Measured> rows) {
        StringBuilder table = new StringBuilder("""
                | broker | bytes | published/s | readers | way | read/s | p50, p99 ms | broker µs/entry | readers µs/entry |
                |---|---|---|---|---|---|---|---|---|
                """);
        for (Measured row : rows)
            table.append(String.format(
                    Locale.ROOT,
                    "| %s | %,d | %,.0f | %d | %s | %,.0f%s | %.2f, %.1f | %.0f | %.0f |%n",
                    row.broker(),
                    row.load().bytes(),
                    row.published(),
                    row.load().readers(),
                    row.way(),
                    row.read(),
                    row.complete() ? "" : " (incomplete)",
                    row.p50Millis(),
                    row.p99Millis(),
                    row.brokerMicros(),
                    row.readerMicros()));
        return table.toString();
    }
}
