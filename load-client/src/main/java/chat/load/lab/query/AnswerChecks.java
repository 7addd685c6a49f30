package chat.load.lab.query;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/** Checks correct answers. Each check stops at the first fault, because one bad row is enough. */
final class AnswerChecks {
    private AnswerChecks() {}

    /**
     * Q1: only rows of that room, within the range, ascending, within the limit, and a next page that continues here.
     * Messages with equal positions, which a broker can leave after a power loss, are ordered by id and share a page
     * even if it exceeds the limit.
     */
    static void roomMessages(Question asked, JsonNode answer, Consumer<String> wrong) {
        if (!text(answer, "roomId").equals(asked.roomId())) {
            wrong.accept("room " + text(answer, "roomId") + " was answered");
            return;
        }
        JsonNode rows = answer.path("messages");
        if (!isArray(rows, "messages", wrong)) return;
        if (!ofOnePosition(rows) && tooMany(asked, rows, wrong)) return;
        long previous = -1;
        String previousId = "";
        for (JsonNode row : rows) {
            long position = position(row.path("position"));
            if (position < 0) {
                wrong.accept("a row has no position: " + row);
                return;
            }
            String id = text(row, "messageId");
            if (position < previous || (position == previous && id.compareTo(previousId) <= 0)) {
                wrong.accept("position " + position + " comes after " + previous);
                return;
            }
            previous = position;
            previousId = id;
            if (row.has("roomId") && !text(row, "roomId").equals(asked.roomId())) {
                wrong.accept("a row of room " + text(row, "roomId"));
                return;
            }
            if ((asked.after() != null && position <= asked.after())
                    || (asked.before() != null && position >= asked.before())) {
                wrong.accept("position " + position + " was not asked for");
                return;
            }
            if (outsideOfTimes(asked, row, "timestamp", wrong)) return;
        }
        next(asked, rows, answer.path("next"), wrong);
    }

    private static boolean ofOnePosition(JsonNode rows) {
        return !rows.isEmpty()
                && rows.path(0)
                        .path("position")
                        .equals(rows.path(rows.size() - 1).path("position"));
    }

    private static void next(Question asked, JsonNode rows, JsonNode next, Consumer<String> wrong) {
        if (next.isNull() || next.isMissingNode()) return;
        long position = position(next);
        if (position < 0) {
            wrong.accept("next is no position: " + next);
            return;
        }
        if (rows.isEmpty()) {
            wrong.accept("an empty page has a next one");
            return;
        }
        boolean backwards = asked.before() != null;
        long edge = position(rows.path(backwards ? 0 : rows.size() - 1).path("position"));
        if (position != edge) wrong.accept("next is " + position + ", the page ends at " + edge);
    }

    /** Q2: only rows of that user, within the range, ascending by time, within the limit. */
    static void userMessages(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode rows = answer.path("messages");
        if (!isArray(rows, "messages", wrong) || tooMany(asked, rows, wrong)) return;
        long previous = Long.MIN_VALUE;
        for (JsonNode row : rows) {
            if (row.has("userId") && !text(row, "userId").equals(asked.userId())) {
                wrong.accept("a row of user " + text(row, "userId"));
                return;
            }
            if (outsideOfTimes(asked, row, "timestamp", wrong)) return;
            long timestamp = row.path("timestamp").asLong();
            if (timestamp < previous) {
                wrong.accept("timestamp " + timestamp + " comes after " + previous);
                return;
            }
            previous = timestamp;
        }
    }

    /** Q3. */
    static void activeUsers(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode users = answer.path("activeUsers");
        if (!users.isIntegralNumber() || users.asLong() < 0) wrong.accept("activeUsers is " + users);
    }

    /** Q4: each room once, the most recently active first. */
    static void userRooms(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode rows = answer.path("rooms");
        if (!isArray(rows, "rooms", wrong)) return;
        descending(rows, "roomId", "lastActivity", wrong);
    }

    static void topUsers(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode rows = answer.path("users");
        if (!isArray(rows, "users", wrong) || tooMany(asked, rows, wrong)) return;
        descending(rows, "userId", "messages", wrong);
    }

    static void topRooms(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode rows = answer.path("rooms");
        if (!isArray(rows, "rooms", wrong) || tooMany(asked, rows, wrong)) return;
        descending(rows, "roomId", "messages", wrong);
    }

    /** Each key once, highest value first. */
    private static void descending(JsonNode rows, String key, String value, Consumer<String> wrong) {
        Set<String> seen = new HashSet<>();
        long previous = Long.MAX_VALUE;
        for (JsonNode row : rows) {
            if (!row.has(key) || !row.path(value).isIntegralNumber()) {
                wrong.accept("a row lacks " + key + " or " + value + ": " + row);
                return;
            }
            if (!seen.add(text(row, key))) {
                wrong.accept(key + " " + text(row, key) + " comes twice");
                return;
            }
            long now = row.path(value).asLong();
            if (now > previous) {
                wrong.accept(value + " " + now + " comes after " + previous);
                return;
            }
            previous = now;
        }
    }

    /** Ascending, within the range, none negative. */
    static void buckets(Question asked, JsonNode answer, Consumer<String> wrong) {
        JsonNode rows = answer.path("buckets");
        if (!isArray(rows, "buckets", wrong)) return;
        long previous = Long.MIN_VALUE;
        for (JsonNode row : rows) {
            JsonNode start = row.path("start");
            if (!start.isIntegralNumber()
                    || !row.path("messages").isIntegralNumber()
                    || row.path("messages").asLong() < 0) {
                wrong.accept("a bucket lacks start or messages: " + row);
                return;
            }
            if (start.asLong() <= previous) {
                wrong.accept("bucket " + start + " comes after " + previous);
                return;
            }
            previous = start.asLong();
            Instant to = asked.to();
            if (to != null && previous >= to.toEpochMilli()) {
                wrong.accept("bucket " + start + " was not asked for");
                return;
            }
        }
    }

    static void anything(Question asked, JsonNode answer, Consumer<String> wrong) {
        if (answer.isEmpty()) wrong.accept("the answer is empty");
    }

    private static boolean isArray(JsonNode rows, String field, Consumer<String> wrong) {
        if (!rows.isArray()) wrong.accept(field + " is no array");
        return rows.isArray();
    }

    private static boolean tooMany(Question asked, JsonNode rows, Consumer<String> wrong) {
        boolean tooMany = asked.limit() > 0 && rows.size() > asked.limit();
        if (tooMany) wrong.accept(rows.size() + " rows, the limit was " + asked.limit());
        return tooMany;
    }

    private static boolean outsideOfTimes(Question asked, JsonNode row, String field, Consumer<String> wrong) {
        JsonNode timestamp = row.path(field);
        if (!timestamp.isIntegralNumber()) {
            wrong.accept("a row has no " + field + ": " + row);
            return true;
        }
        long millis = timestamp.asLong();
        boolean outside = (asked.from() != null && millis < asked.from().toEpochMilli())
                || (asked.to() != null && millis >= asked.to().toEpochMilli());
        if (outside) wrong.accept(field + " " + millis + " is outside of the range");
        return outside;
    }

    /** @return -1 if it is not a position */
    static long position(JsonNode position) {
        if (!position.isString()) return -1;
        try {
            return Math.max(-1, Long.parseLong(position.asString()));
        } catch (NumberFormatException notAPosition) {
            return -1;
        }
    }

    static String text(JsonNode row, String field) {
        JsonNode value = row.path(field);
        return value.isString() ? value.asString() : value.toString();
    }
}
