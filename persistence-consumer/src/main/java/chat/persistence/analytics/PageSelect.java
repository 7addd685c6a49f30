package chat.persistence.analytics;

import chat.protocol.MessageType;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A page of messages under conditions, which are put together with the values of their parameters. Not thread-safe. */
final class PageSelect {
    private final StringBuilder sql;
    private final List<Object> values = new ArrayList<>();

    /**
     * @param select up to its first condition, which has one parameter
     * @param value of that
     */
    PageSelect(String select, Object value) {
        sql = new StringBuilder(select);
        values.add(value);
    }

    /** @param of the condition's parameters, in their order */
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

    /** Makes something of the row that is the current one. */
    @FunctionalInterface
    interface Row<T> {
        T of(ResultSet row) throws SQLException;
    }

    /**
     * The rows, with one more than the limit where there is one more.
     *
     * @param columns of the answer, the page being {@code m}. Names are looked up by subqueries here, one by one: joined,
     *     the planner may read all users for a page, or leave the index that has the order
     * @param order by which rows are of the page or not
     * @param orderOfRows the same, or one that tells more of them apart; only the page is sorted by that
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
