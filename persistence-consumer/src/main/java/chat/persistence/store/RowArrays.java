package chat.persistence.store;

import chat.persistence.batch.MessageRow;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One column of many rows as one parameter, so that a statement is the same for any number of them. */
final class RowArrays {
    private RowArrays() {}

    static <T> Array of(
            Connection connection,
            String type,
            List<MessageRow> rows,
            Function<MessageRow, @Nullable T> value,
            Function<Integer, @Nullable T[]> newArray)
            throws SQLException {
        @Nullable T[] values = newArray.apply(rows.size());
        for (int i = 0; i < values.length; i++) values[i] = value.apply(rows.get(i));
        return connection.createArrayOf(type, values);
    }
}
