package chat.bench.writing;

import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.persistence.batch.StoreUnavailable;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs {@code ./bench months}: measures queries with few and many monthly partitions, and which partitions they read.
 */
@Command(
        name = "months",
        mixinStandardHelpOptions = true,
        description = "Queries a table with monthly partitions in its own PostgreSQL: plans and times.")
public final class MonthsCommand implements Callable<Integer> {
    @Option(names = "--months", split = ",", description = "numbers of months with rows (default: 1,12,24)")
    private List<Integer> months = List.of(1, 12, 24);

    @Option(names = "--rows", description = "rows in each month (default: 100000)")
    private int rows = 100_000;

    @Option(names = "--times", description = "executions of each query (default: 500)")
    private int times = 500;

    @Option(names = "--plans", description = "print the plans")
    private boolean plans;

    private MonthsCommand() {}

    @Override
    public Integer call() throws Exception {
        try (PostgresNode node = new PostgresNode(PostgresSettings.inTemporaryDirectory())) {
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(node::close));
            Table table = new Table(node.start());
            System.out.println(
                    "| query | months | partitions in the plan | partitions read | p50 ms | p99 ms |\n|---|---|---|---|---|---|");
            for (int count : months) measure(table, count);
        }
        return 0;
    }

    private void measure(Table table, int count) throws SQLException, StoreUnavailable {
        table.create(0);
        YearMonth now = YearMonth.now(ZoneOffset.UTC);
        for (int i = count; i >= 1; i--) fill(table, now.minusMonths(i));
        table.execute("VACUUM ANALYZE messages");
        String id = table.column("SELECT message_id FROM messages LIMIT 1").getFirst();
        String position = table.column("SELECT (min(position) + max(position)) / 2 FROM messages")
                .getFirst();
        Map<String, String> queries = new LinkedHashMap<>();
        queries.put("one message", "SELECT * FROM messages WHERE message_id = '" + id + "'");
        queries.put("a room's page forwards", """
                SELECT * FROM messages WHERE room = 7 AND position > %s ORDER BY position LIMIT 100""".formatted(position));
        queries.put("a room's last page", "SELECT * FROM messages WHERE room = 7 ORDER BY position DESC LIMIT 100");
        queries.put("a user's last page", "SELECT * FROM messages WHERE usr = 7 ORDER BY timestamp DESC LIMIT 100");
        for (Map.Entry<String, String> query : queries.entrySet())
            System.out.println("| " + query.getKey() + " | " + count + " | " + ask(table, query.getValue()) + " |");
    }

    private void fill(Table table, YearMonth month) throws SQLException {
        long begin = millis(month);
        long length = millis(month.plusMonths(1)) - begin;
        table.execute(
                String.format(
                        Locale.ROOT,
                        "CREATE TABLE messages_%04d_%02d PARTITION OF messages FOR VALUES FROM ('%s') TO ('%s')",
                        month.getYear(),
                        month.getMonthValue(),
                        new UUID(begin << 16, 0),
                        new UUID((begin + length) << 16, 0)),
                String.format(Locale.ROOT, """
                INSERT INTO messages (message_id, position, timestamp, room, usr, username, message_type, content, server_id)
                SELECT uuidv7(at - now()), (extract(epoch FROM at) * 1000)::bigint, at, 1 + n %% %d, 1 + (random() * %d)::int, 'somebody',
                  'TEXT', repeat(md5(n::text), 3), 'server-1-4f9c2a'
                FROM (SELECT n, timestamptz 'epoch' + (%d + n * %d / %d) * interval '1 ms' AS at FROM generate_series(0, %d) n) AS times""", Messages.ROOMS, Messages.USERS, begin, length, rows, rows - 1));
    }

    private static long millis(YearMonth month) {
        return month.atDay(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli();
    }

    private String ask(Table table, String sql) throws SQLException {
        List<String> plan = table.column("EXPLAIN (ANALYZE, BUFFERS) " + sql);
        if (plans) plan.forEach(System.err::println);
        List<String> scans = plan.stream()
                .filter(line -> line.contains(" on messages_") && !line.contains("Bitmap Index Scan"))
                .toList();
        long read =
                scans.stream().filter(line -> !line.contains("never executed")).count();
        double[] millis = new double[times];
        try (Connection connection = table.connect(Way.UNNEST);
                PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = -20; i < times; i++) {
                long begin = System.nanoTime();
                try (ResultSet found = select.executeQuery()) {
                    while (found.next()) {
                        Object unused = found.getObject(1);
                    }
                }
                if (i >= 0) millis[i] = (System.nanoTime() - begin) / 1e6;
            }
        }
        Arrays.sort(millis);
        return String.format(
                Locale.ROOT, "%d | %d | %.2f | %.2f", scans.size(), read, millis[times / 2], millis[times * 99 / 100]);
    }
}
