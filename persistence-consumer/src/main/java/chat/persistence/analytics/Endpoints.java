package chat.persistence.analytics;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Lists all query endpoints with their bounds. {@code openapi.json} describes each; a test compares the two. */
final class Endpoints {
    /** Path prefixes; below them only the endpoints of {@link #all} exist. */
    static final List<String> BRANCHES = List.of("/api/rooms", "/api/users", "/api/analytics", "/api/metrics");

    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration MONTH = Duration.ofDays(31);
    private static final Duration YEAR = Duration.ofDays(366);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final int TOP = 10;
    private static final int MAX_TOP = 100;
    private static final int MAX_ROOMS = 1000;

    private final Clock clock;
    private final RoomHistory roomHistory;
    private final UserHistory userHistory;
    private final UserRooms userRooms;
    private final Activity activity;
    private final Participation participation;
    private final Metrics metrics;

    Endpoints(Snapshots snapshots, int partitions, Metrics.Caching caching, Clock clock) {
        this.clock = clock;
        roomHistory = new RoomHistory(snapshots, partitions);
        userHistory = new UserHistory(snapshots);
        userRooms = new UserRooms(snapshots);
        activity = new Activity(snapshots);
        participation = new Participation(snapshots);
        metrics = new Metrics(snapshots, roomHistory, userHistory, userRooms, activity, participation, caching, clock);
    }

    /** @param range null: all time */
    record TopQuery(@Nullable Range range, int limit) {
        static TopQuery read(RequestParams words) {
            return new TopQuery(words.range(YEAR), words.limit(TOP, MAX_TOP));
        }
    }

    List<Endpoint<?>> all() {
        return List.of(
                // Not cached: chat servers continue where a page ends.
                Endpoint.fresh("/api/rooms/{roomId}/messages", Permit.ROOM, HistoryRequest::read, roomHistory::find)
                        .asHistoryIf(HistoryQuery::byPositionAlone),
                Endpoint.fresh("/api/users/{userId}/messages", Permit.USER, UserHistory.Query::read, userHistory::find),
                Endpoint.fresh(
                        "/api/users/{userId}/rooms",
                        Permit.USER,
                        words -> new UserRooms.Query(
                                UserHistory.Query.user(words), words.limit(HistoryRequest.DEFAULT_LIMIT, MAX_ROOMS)),
                        userRooms::find),
                Endpoint.cached(
                        "/api/analytics/active-users",
                        Permit.ANALYST,
                        words -> range(words, DAY, YEAR),
                        activity::activeUsers),
                Endpoint.cached(
                        "/api/analytics/messages-per-second",
                        Permit.ANALYST,
                        words -> range(words, MINUTE, HOUR),
                        activity::perSecond),
                Endpoint.cached(
                        "/api/analytics/messages-per-minute",
                        Permit.ANALYST,
                        words -> range(words, HOUR, DAY),
                        activity::perMinute),
                Endpoint.cached(
                        "/api/analytics/hourly", Permit.ANALYST, words -> range(words, DAY, MONTH), activity::perHour),
                Endpoint.cached(
                        "/api/analytics/top-users",
                        Permit.ANALYST,
                        TopQuery::read,
                        query -> activity.topUsers(query.range(), query.limit())),
                Endpoint.cached(
                        "/api/analytics/top-rooms",
                        Permit.ANALYST,
                        TopQuery::read,
                        query -> activity.topRooms(query.range(), query.limit())),
                Endpoint.cached(
                        "/api/analytics/participation",
                        Permit.ANALYST,
                        ParticipationQuery::read,
                        query -> participation.find(query.range())),
                Endpoint.cached("/api/metrics", Permit.ANALYST, Metrics.Query::read, metrics::all));
    }

    /** @param range null: all time */
    record ParticipationQuery(@Nullable Range range) {
        static ParticipationQuery read(RequestParams words) {
            return new ParticipationQuery(words.range(YEAR));
        }
    }

    /** The requested range, by default the last {@code usual} until now. */
    private Range range(RequestParams words, Duration usual, Duration longest) {
        return Objects.requireNonNullElseGet(words.range(longest), () -> Range.last(usual, clock.instant()));
    }
}
