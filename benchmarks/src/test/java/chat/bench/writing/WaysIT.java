package chat.bench.writing;

import static org.assertj.core.api.Assertions.assertThat;

import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Checks that all ways store the same rows, so that they can be compared. */
class WaysIT {
    private static PostgresNode node;
    private static Table table;

    @BeforeAll
    static void begin() {
        node = new PostgresNode(PostgresSettings.inTemporaryDirectory()).start();
        table = new Table(node);
    }

    @AfterAll
    static void end() {
        node.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyWayStoresTheSameRows(Way way) throws Exception {
        table.create(0);
        List<Row> rows = new Messages(1).next(300);
        try (Connection connection = table.connect(way)) {
            way.begin(connection);
            way.insert(connection, rows.subList(0, 200));
            way.insert(connection, rows.subList(200, 300));
        }
        assertThat(table.column(
                        "SELECT concat_ws(' ', message_id, position, extract(epoch FROM timestamp) * 1000, room,"
                                + " usr, username, message_type, content, server_id, host(client_ip)) FROM messages"
                                + " ORDER BY position"))
                .containsExactlyElementsOf(rows.stream()
                        .map(row -> String.format(
                                Locale.ROOT,
                                "%s %d %d.000000 %d %d %s %s %s %s %s",
                                row.id(),
                                row.position(),
                                row.millis(),
                                row.room(),
                                row.user(),
                                row.username(),
                                Row.TYPE,
                                row.content(),
                                Row.SERVER,
                                Row.ADDRESS))
                        .toList());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRAIGHT")
    void existingRowsAreSkipped(Way way) throws Exception {
        table.create(0);
        List<Row> rows = new Messages(1).next(100);
        try (Connection connection = table.connect(way)) {
            way.begin(connection);
            way.insert(connection, rows.subList(0, 50));
            way.insert(connection, rows);
        }
        assertThat(table.count()).isEqualTo(100);
    }

    @Test
    void rowCostsProcessorTimeWalAndWrites() throws Exception {
        table.create(0);
        Cost cost = new Writers(table)
                .measure(new Case(Way.UNNEST, 2, 1000, "nothing", 0), 3)
                .cost();
        assertThat(cost.postgresMicros()).isPositive();
        assertThat(cost.clientMicros()).isPositive();
        // Row, primary key and three indexes.
        assertThat(cost.walBytes()).isBetween(300.0, 3_000.0);
        assertThat(cost.ioBytes()).isGreaterThan(300);
        assertThat(cost.ioPerSecond()).isPositive();
    }

    @Test
    void tableStartsWithTheRequestedRows() throws Exception {
        table.create(1_000);
        assertThat(table.count()).isEqualTo(1_000);
        assertThat(table.sizes()).hasSize(6).first().asString().startsWith("| rows |");
        table.leaveOut("indexes");
        assertThat(table.sizes()).hasSize(2);
    }
}
