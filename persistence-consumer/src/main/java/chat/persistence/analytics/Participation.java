package chat.persistence.analytics;

import chat.persistence.analytics.ActivityReader.By;
import chat.persistence.rollup.Counts;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reports how users participate: number of rooms, number of messages, and hours of the week. Blocking; thread-safe. */
final class Participation {
    /**
     * Above this number of messages, rooms per user are not counted for a range, because the query reads each message.
     */
    static final long MAX_MESSAGES = 500_000;

    private final Snapshots snapshots;

    Participation(Snapshots snapshots) {
        this.snapshots = snapshots;
    }

    /**
     * @param atLeast lower bound of the bucket, a power of two; the upper bound is twice that, exclusive
     * @param users number of users in the bucket
     */
    record Step(long atLeast, long users) {}

    /**
     * @param usersByRooms null if the range holds too many messages
     * @param hoursOfWeek messages: a row for each day, Monday first, a number for each hour, in UTC; a range is
     *     widened to whole hours
     */
    record Answer(
            @Nullable Long from,
            @Nullable Long to,
            @Nullable List<Step> usersByRooms,
            List<Step> usersByMessages,
            long[][] hoursOfWeek) {}

    /** @param range null: all time, users from the view {@code participation_stats} */
    Aged<Answer> find(@Nullable Range range) throws SQLException {
        return snapshots.read(connection -> range == null ? ofAllTime(connection) : of(connection, range));
    }

    private static Aged<Answer> ofAllTime(Connection connection) throws SQLException {
        List<Step> rooms = new ArrayList<>();
        List<Step> messages = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(
                        "SELECT measure, at_least, users FROM participation_stats ORDER BY at_least");
                ResultSet rows = select.executeQuery()) {
            while (rows.next())
                (rows.getString(1).equals("rooms") ? rooms : messages).add(new Step(rows.getLong(2), rows.getLong(3)));
        }
        // PostgreSQL supports a far wider range of times.
        long[][] week = new ActivityReader(connection).hoursOfWeek(new Range(0, 253_402_300_800_000L));
        return Aged.ofView(connection, "participation_stats", new Answer(null, null, rooms, messages, week));
    }

    private static Aged<Answer> of(Connection connection, Range range) throws SQLException {
        ActivityReader activity = new ActivityReader(connection);
        Counts counts = activity.counts(By.USER, range);
        Steps messages = new Steps();
        long[] sum = {0};
        counts.forEach((user, count) -> {
            messages.add(count);
            sum[0] += count;
        });
        List<Step> rooms = sum[0] > MAX_MESSAGES ? null : rooms(activity, range, (int) sum[0]);
        long[][] week = activity.hoursOfWeek(range.rounded(3_600_000));
        return Aged.ofRollups(connection, new Answer(range.from(), range.to(), rooms, messages.list(), week));
    }

    private static List<Step> rooms(ActivityReader activity, Range range, int messages) throws SQLException {
        long[] pairs = new long[messages];
        int[] length = {0};
        activity.events(range, (millis, room, user) -> pairs[length[0]++] = ((long) user << 32) | room);
        Arrays.sort(pairs);
        Steps steps = new Steps();
        int rooms = 0;
        for (int i = 0; i < pairs.length; i++) {
            if (i > 0 && pairs[i] == pairs[i - 1]) continue;
            if (i > 0 && pairs[i] >> 32 != pairs[i - 1] >> 32) {
                steps.add(rooms);
                rooms = 0;
            }
            rooms++;
        }
        if (rooms > 0) steps.add(rooms);
        return steps.list();
    }

    private static final class Steps {
        private final TreeMap<Long, Long> users = new TreeMap<>();

        /** @param amount at least 1 */
        void add(long amount) {
            Long unused = users.merge(Long.highestOneBit(amount), 1L, Long::sum);
        }

        List<Step> list() {
            return users.entrySet().stream()
                    .map(step -> new Step(step.getKey(), step.getValue()))
                    .toList();
        }
    }
}
