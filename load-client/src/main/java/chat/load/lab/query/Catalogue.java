package chat.load.lab.query;

import chat.load.lab.query.Query.Draw;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Lists all queries of {@code load queries}, as described in {@code docs/reference/analytics.md}. */
final class Catalogue {
    private static final String ROOM_MESSAGES = "/api/rooms/{roomId}/messages";

    static final List<Query> QUERIES = List.of(
            new Query(
                    "Q1",
                    "a room's messages in a time range",
                    ROOM_MESSAGES,
                    List.of(Draw.ROOM, Draw.TIMES, Draw.PAGE),
                    "messages",
                    100,
                    AnswerChecks::roomMessages),
            new Query(
                    "Q1-after",
                    "a room's messages after a position",
                    ROOM_MESSAGES,
                    List.of(Draw.ROOM, Draw.AFTER, Draw.PAGE),
                    "messages",
                    100,
                    AnswerChecks::roomMessages),
            new Query(
                    "Q1-before",
                    "a room's messages before a position",
                    ROOM_MESSAGES,
                    List.of(Draw.ROOM, Draw.BEFORE, Draw.PAGE),
                    "messages",
                    100,
                    AnswerChecks::roomMessages),
            new Query(
                    "Q2",
                    "a user's messages in a time range",
                    "/api/users/{userId}/messages",
                    List.of(Draw.USER, Draw.TIMES, Draw.PAGE),
                    "messages",
                    200,
                    AnswerChecks::userMessages),
            new Query(
                    "Q3",
                    "distinct active users in a time range",
                    "/api/analytics/active-users",
                    List.of(Draw.TIMES),
                    "activeUsers",
                    500,
                    AnswerChecks::activeUsers),
            new Query(
                    "Q4",
                    "a user's rooms with their last activity",
                    "/api/users/{userId}/rooms",
                    List.of(Draw.USER),
                    "rooms",
                    50,
                    AnswerChecks::userRooms),
            new Query(
                    "per-second",
                    "messages per second",
                    "/api/analytics/messages-per-second",
                    List.of(Draw.HOUR),
                    "buckets",
                    0,
                    AnswerChecks::buckets),
            new Query(
                    "per-minute",
                    "messages per minute",
                    "/api/analytics/messages-per-minute",
                    List.of(Draw.DAY),
                    "buckets",
                    0,
                    AnswerChecks::buckets),
            new Query(
                    "hourly",
                    "messages, users and rooms per hour",
                    "/api/analytics/hourly",
                    List.of(Draw.DAY),
                    "buckets",
                    0,
                    AnswerChecks::buckets),
            new Query(
                    "top-users",
                    "the most active users",
                    "/api/analytics/top-users",
                    List.of(Draw.TOP),
                    "users",
                    0,
                    AnswerChecks::topUsers),
            new Query(
                    "top-rooms",
                    "the most active rooms",
                    "/api/analytics/top-rooms",
                    List.of(Draw.TOP),
                    "rooms",
                    0,
                    AnswerChecks::topRooms),
            new Query(
                    "top-users-in",
                    "the most active users in a time range",
                    "/api/analytics/top-users",
                    List.of(Draw.TIMES, Draw.TOP),
                    "users",
                    0,
                    AnswerChecks::topUsers),
            new Query(
                    "top-rooms-in",
                    "the most active rooms in a time range",
                    "/api/analytics/top-rooms",
                    List.of(Draw.TIMES, Draw.TOP),
                    "rooms",
                    0,
                    AnswerChecks::topRooms),
            new Query(
                    "participation",
                    "how users take part: rooms, messages, hours of the week",
                    "/api/analytics/participation",
                    List.of(),
                    "usersByMessages",
                    0,
                    AnswerChecks::anything),
            new Query(
                    "participation-in",
                    "the same in a time range",
                    "/api/analytics/participation",
                    List.of(Draw.DAY),
                    "usersByMessages",
                    0,
                    AnswerChecks::anything),
            new Query(
                    "metrics",
                    "all results in one answer",
                    "/api/metrics",
                    List.of(),
                    null,
                    0,
                    AnswerChecks::anything));

    private Catalogue() {}

    /**
     * @param names case is ignored; none: all
     * @throws IllegalArgumentException if there is no such query
     */
    static List<Query> named(List<String> names) {
        if (names.isEmpty()) return QUERIES;
        List<Query> chosen = new ArrayList<>();
        for (String name : names)
            chosen.add(find(name)
                    .orElseThrow(() -> new IllegalArgumentException("there is no query " + name + ", only "
                            + String.join(
                                    ", ", QUERIES.stream().map(Query::name).toList()))));
        return chosen.stream().distinct().toList();
    }

    /** The query that discovery uses: a room's messages. */
    static Query roomMessages() {
        return QUERIES.getFirst();
    }

    private static Optional<Query> find(String name) {
        return QUERIES.stream()
                .filter(query -> query.name().toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT)))
                .findFirst();
    }
}
