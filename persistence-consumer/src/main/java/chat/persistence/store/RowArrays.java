package chat.persistence.store;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Passes one column of many rows as one array parameter, so that the statement is the same for any number of rows. */
final class RowArrays {
    private final Connection connection;
    private final List<KeyedRow> rows;

    RowArrays(Connection connection, List<KeyedRow> rows) {
        this.connection = connection;
        this.rows = rows;
    }

    Array ids() throws SQLException {
        UUID[] values = new UUID[rows.size()];
        for (int i = 0; i < values.length; i++)
            values[i] = rows.get(i).message().messageId();
        return connection.createArrayOf("uuid", values);
    }

    /** For {@code setObject}; the driver encodes primitive arrays directly. */
    long[] longs(ToLongFunction<KeyedRow> value) {
        long[] values = new long[rows.size()];
        for (int i = 0; i < values.length; i++) values[i] = value.applyAsLong(rows.get(i));
        return values;
    }

    /** For {@code setObject}; the driver encodes primitive arrays directly. */
    int[] ints(ToIntFunction<KeyedRow> value) {
        int[] values = new int[rows.size()];
        for (int i = 0; i < values.length; i++) values[i] = value.applyAsInt(rows.get(i));
        return values;
    }

    Array texts(Function<KeyedRow, @Nullable String> value) throws SQLException {
        @Nullable String[] values = new @Nullable String[rows.size()];
        for (int i = 0; i < values.length; i++) values[i] = value.apply(rows.get(i));
        return connection.createArrayOf("text", values);
    }
}
