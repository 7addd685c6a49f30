package chat.persistence.analytics;

import chat.persistence.analytics.HistoryQuery.Page;
import chat.persistence.analytics.HistoryRequest.Times;
import chat.protocol.RoomId;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs one query of every kind and returns all results together, as the start of a dashboard or report. Lists are
 * short, ranges fixed. Blocking; thread-safe.
 */
final class Metrics {
    private static final int TOP = 10;
    private static final int MESSAGES = 10;

    private final Snapshots snapshots;
    private final RoomHistory roomHistory;
    private final UserHistory userHistory;
    private final UserRooms userRooms;
    private final Activity activity;
    private final Participation participation;
    private final Supplier<Caching.Figures> caching;
    private final Clock clock;

    Metrics(
            Snapshots snapshots,
            RoomHistory roomHistory,
            UserHistory userHistory,
            UserRooms userRooms,
            Activity activity,
            Participation participation,
            Caching caching,
            Clock clock) {
        this.snapshots = snapshots;
        this.roomHistory = roomHistory;
        this.userHistory = userHistory;
        this.userRooms = userRooms;
        this.activity = activity;
        this.participation = participation;
        this.caching = caching::figures;
        this.clock = clock;
    }

    /** Statistics of the response cache. */
    @FunctionalInterface
    interface Caching {
        Figures figures();

        /**
         * @param hitRatio hits divided by requests; 1 if there were no requests
         * @param maxAgeMillis maximum age of a cached response; 0: the cache is disabled
         */
        record Figures(long hits, long misses, double hitRatio, long entries, long maxAgeMillis) {}
    }

    /**
     * @param roomId room whose latest messages are shown; null: the most active one
     * @param userId user whose messages and rooms are shown; null: the most active one
     */
    record Query(@Nullable String roomId, @Nullable String userId) {
        static Query read(RequestParams words) {
            return new Query(
                    words.read(
                            "roomId",
                            RoomId.RULE.substring("roomId ".length()),
                            text -> RoomId.isValid(text) ? text : null),
                    words.read(
                            "userId",
                            "must be 1 to 64 characters of A-Z a-z 0-9 _ -",
                            text -> text.matches("[A-Za-z0-9_-]{1,64}") ? text : null));
        }
    }

    /** @param millis duration of the last refresh */
    record View(String view, @Nullable Long asOf, long millis) {}

    /** @param views age of each materialized view */
    record Totals(long messages, List<View> views) {}

    /**
     * @param room null if there is none
     * @param user null if there is none
     */
    record Core(
            @Nullable HistoryPage room,
            @Nullable Answer user,
            @Nullable Answer userRooms,
            Answer activeUsersLastHour,
            Answer activeUsersLastDay) {}

    record Analytics(
            Answer messagesPerSecond,
            Answer messagesPerMinute,
            Answer hourly,
            Answer topUsers,
            Answer topUsersLastHour,
            Answer topRooms,
            Answer topRoomsLastHour,
            Answer participation) {}

    record All(Answer totals, Core core, Analytics analytics, Caching.Figures cache) {}

    Aged<All> all(Query query) throws SQLException {
        Instant now = clock.instant();
        Range hour = Range.last(Duration.ofHours(1), now);
        Range day = Range.last(Duration.ofDays(1), now);
        Aged<Activity.TopUsers> topUsers = activity.topUsers(null, TOP);
        Aged<Activity.TopRooms> topRooms = activity.topRooms(null, TOP);
        String room = query.roomId() != null
                ? query.roomId()
                : topRooms.figures().rooms().stream()
                        .map(Activity.TopRoom::roomId)
                        .findFirst()
                        .orElse(null);
        String user = query.userId() != null
                ? query.userId()
                : topUsers.figures().users().stream()
                        .map(Activity.TopUser::userId)
                        .findFirst()
                        .orElse(null);
        Aged<Totals> totals = totals();
        Core core = new Core(
                room == null ? null : roomHistory.find(latest(room)),
                user == null ? null : answer(userHistory.find(latestOf(user))),
                user == null ? null : answer(userRooms.find(new UserRooms.Query(user, TOP))),
                answer(activity.activeUsers(hour)),
                answer(activity.activeUsers(day)));
        Analytics analytics = new Analytics(
                answer(activity.perSecond(Range.last(Duration.ofMinutes(1), now))),
                answer(activity.perMinute(hour)),
                answer(activity.perHour(day)),
                answer(topUsers),
                answer(activity.topUsers(hour, TOP)),
                answer(topRooms),
                answer(activity.topRooms(hour, TOP)),
                answer(participation.find(null)));
        return new Aged<>(totals.asOf(), new All(answer(totals), core, analytics, caching.get()));
    }

    private Answer answer(Aged<?> figures) {
        return Answer.of(figures, clock.instant());
    }

    private static HistoryQuery latest(String room) {
        return new HistoryQuery(new RoomId(room), new Page.Before(Long.MAX_VALUE), null, null, MESSAGES, Set.of());
    }

    private static UserHistory.Query latestOf(String user) {
        return new UserHistory.Query(user, null, true, new Times(null, null), MESSAGES, Set.of());
    }

    private Aged<Totals> totals() throws SQLException {
        return snapshots.read(connection -> {
            List<View> views = new ArrayList<>();
            try (PreparedStatement select = connection.prepareStatement("""
                            SELECT view_name, (extract(epoch FROM as_of) * 1000)::bigint, millis
                            FROM view_refresh ORDER BY view_name""");
                    ResultSet rows = select.executeQuery()) {
                while (rows.next())
                    views.add(new View(rows.getString(1), rows.getObject(2, Long.class), rows.getLong(3)));
            }
            try (PreparedStatement select = connection.prepareStatement("SELECT messages FROM rollup_state");
                    ResultSet row = select.executeQuery()) {
                return Aged.ofRollups(connection, new Totals(row.next() ? row.getLong(1) : 0, views));
            }
        });
    }
}
