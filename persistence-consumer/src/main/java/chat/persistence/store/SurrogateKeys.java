package chat.persistence.store;

import chat.persistence.batch.Bisection;
import chat.persistence.batch.RowsRejected;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Maps names of one kind to numbers. Most come from a cache; the rest are looked up or inserted in short transactions
 * of their own, so that cached numbers are always committed and no batch waits for another. Thread-safe.
 */
final class SurrogateKeys {
    private final String select;
    private final String insert;
    private final Cache<String, Integer> remembered;

    private SurrogateKeys(String table, String number, String name, int bound) {
        select = "SELECT %2$s, %3$s FROM %1$s WHERE %3$s = ANY (?)".formatted(table, number, name);
        // The sorted order prevents a deadlock between two consumers that insert the same names.
        insert =
                "INSERT INTO %1$s (%2$s) SELECT name FROM unnest(?::text[]) AS new (name) ORDER BY name ON CONFLICT DO NOTHING"
                        .formatted(table, name);
        remembered = Caffeine.newBuilder().maximumSize(bound).build();
    }

    /** @param bound maximum number of cached names */
    static SurrogateKeys ofRooms(int bound) {
        return new SurrogateKeys("rooms", "room", "room_id", bound);
    }

    /** @param bound maximum number of cached names */
    static SurrogateKeys ofUsers(int bound) {
        return new SurrogateKeys("users", "usr", "user_id", bound);
    }

    /**
     * @param inOrder numbers in the order of the requested names; null if a name cannot have a number
     * @param refused reasons, by name
     */
    @SuppressWarnings("ArrayRecordComponent") // on its way to the only caller: never compared
    record Numbers(@Nullable Integer[] inOrder, Map<String, String> refused) {}

    /** @param connection outside a transaction, before and after */
    Numbers of(Connection connection, List<String> names) throws SQLException {
        @Nullable Integer[] numbers = new @Nullable Integer[names.size()];
        Set<String> missing = new TreeSet<>();
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = remembered.getIfPresent(names.get(i));
            if (numbers[i] == null) missing.add(names.get(i));
        }
        if (missing.isEmpty()) return new Numbers(numbers, Map.of());
        Map<String, Integer> found = new HashMap<>();
        Bisection.Outcome<String> outcome = Bisection.<String, SQLException>insert(List.copyOf(missing), some -> {
            Map<String, Integer> known = findOrEnter(connection, some);
            found.putAll(known);
            return known.size();
        });
        remembered.putAll(found);
        for (int i = 0; i < numbers.length; i++) if (numbers[i] == null) numbers[i] = found.get(names.get(i));
        return new Numbers(
                numbers,
                outcome.refused().stream()
                        .collect(Collectors.toMap(Bisection.Refused::item, Bisection.Refused::reason)));
    }

    private Map<String, Integer> findOrEnter(Connection connection, List<String> names)
            throws SQLException, RowsRejected {
        try {
            Map<String, Integer> found = find(connection, names);
            if (found.size() < names.size()) {
                enter(
                        connection,
                        names.stream().filter(name -> !found.containsKey(name)).toList());
                // No RETURNING: another consumer may have inserted some of them at the same time.
                found.putAll(find(connection, names));
            }
            connection.commit();
            return found;
        } catch (SQLException failed) {
            connection.rollback();
            throw SqlFailure.orRefusal(failed);
        }
    }

    private Map<String, Integer> find(Connection connection, List<String> names) throws SQLException {
        Map<String, Integer> found = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setArray(1, texts(connection, names));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) found.put(rows.getString(2), rows.getInt(1));
            }
        }
        return found;
    }

    private void enter(Connection connection, List<String> names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setArray(1, texts(connection, names));
            statement.executeUpdate();
        }
    }

    private static Array texts(Connection connection, List<String> names) throws SQLException {
        return connection.createArrayOf("text", names.toArray());
    }
}
