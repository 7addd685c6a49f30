package chat.persistence.analytics;

import chat.protocol.MessageType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Builds a query for a page of messages from conditions and their parameters. Not thread-safe. */
final class PageSelect {
    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();

    /**
     * @param select SQL up to its first condition, which has one parameter
     * @param value value of that parameter
     */
    PageSelect(String select, Object value) {
        sql = new StringBuilder(select);
        values.add(value);
    }

    /** @param of values of the condition's parameters, in their order */
    void and(String condition, Object... of) {
        sql.append(" AND ").append(condition);
        values.addAll(List.of(of));
    }

    /** @param types empty: any */
    void andTypes(Connection connection, Set<MessageType> types) throws SQLException {
        if (types.isEmpty()) return;
        and(
                "message_type = ANY (?)",
                connection.createArrayOf("text", types.stream().map(Enum::name).toArray()));
    }

    /** Maps the current row. */
    @FunctionalInterface
    interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /**
     * Reads the rows of the page, plus one if more follow.
     *
     * @param columns result columns; the page is {@code m}. Subqueries look up names one by one: with a join, the
     *     planner may read all users for a page or ignore the index that has the order
     * @param order order that selects the rows of the page
     * @param orderOfRows the same order or a more specific one; only the rows of the page are sorted by it
     */
    <T> List<T> rows(Connection connection, String columns, String order, String orderOfRows, int limit, Row<T> row)
            throws SQLException {
        String named =
                "SELECT %s FROM (%s ORDER BY %s LIMIT ?) AS m ORDER BY %s".formatted(columns, sql, order, orderOfRows);
        try (PreparedStatement select = connection.prepareStatement(named)) {
            for (int i = 0; i < values.size(); i++) select.setObject(i + 1, values.get(i));
            select.setInt(values.size() + 1, limit + 1);
            List<T> page = new ArrayList<>();
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) page.add(row.of(rows));
            }
            return page;
        }
    }
}
