package chat.load.lab.query;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Describes one query of the {@link Catalogue}.
 *
 * @param name as in {@code --query}
 * @param asks description for users
 * @param path template; {@code {roomId}} and {@code {userId}} are drawn
 * @param draws parameters drawn for each question
 * @param field of the answer that identifies it; an array of rows, or a number; null: any object
 * @param targetMillis limit for the 99th percentile; 0: none
 * @param check what must hold in a correct answer, besides {@code field}
 */
record Query(
        String name,
        String asks,
        String path,
        List<Draw> draws,
        @Nullable String field,
        double targetMillis,
        AnswerCheck check) {

    /** Parameters drawn for one question. */
    enum Draw {
        /** One of the rooms. */
        ROOM,
        /** One of the users. */
        USER,
        /** {@code from} and {@code to} within the known time: from a second up to the whole time. */
        TIMES,
        /** As {@link #TIMES}, at most an hour. */
        HOUR,
        /** As {@link #TIMES}, at most 24 hours. */
        DAY,
        /** {@code after}: a position in the room. */
        AFTER,
        /** {@code before}: a position in the room. */
        BEFORE,
        /** {@code limit=1000}: a full page. */
        PAGE,
        /** {@code limit=10}. */
        TOP
    }

    /** Finds faults in an answer. */
    @FunctionalInterface
    interface AnswerCheck {
        /** @param wrong receives a description of each fault, at most a few per answer */
        void check(Question asked, JsonNode answer, Consumer<String> wrong);
    }

    boolean hasTarget() {
        return targetMillis > 0;
    }

    /** Whether this answers the query at all. */
    boolean isAnswer(JsonNode answer) {
        return answer.isObject() && (field == null || answer.has(field));
    }

    /** Number of rows in the answer; 0 if it is a number. */
    int rows(JsonNode answer) {
        return field == null ? 0 : answer.path(field).size();
    }
}
