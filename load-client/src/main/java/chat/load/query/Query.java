package chat.load.query;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One question of the {@link Catalogue}.
 *
 * @param name as in {@code --query}
 * @param asks in words
 * @param path template; {@code {roomId}} and {@code {userId}} are drawn
 * @param draws the parameters that are drawn for each question
 * @param field of the answer that tells it from anybody else's JSON; an array of rows, or a number; null: any object
 * @param targetMillis what 99 of 100 answers must stay under; 0: the contract names none
 * @param check beyond {@code field}: what has to hold in a right answer
 */
record Query(
        String name,
        String asks,
        String path,
        List<Draw> draws,
        @Nullable String field,
        double targetMillis,
        AnswerCheck check) {

    /** What is drawn for one question. */
    enum Draw {
        /** One of the rooms. */
        ROOM,
        /** One of the users. */
        USER,
        /** {@code from} and {@code to} within the time known: a second long, or all of it, or anything between. */
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

    /** What is wrong with an answer. */
    @FunctionalInterface
    interface AnswerCheck {
        /** @param wrong hears of it, in words; at most a few times for one answer */
        void check(Question asked, JsonNode answer, Consumer<String> wrong);
    }

    boolean hasTarget() {
        return targetMillis > 0;
    }

    /** Whether this is an answer to such a question at all. */
    boolean isAnswer(JsonNode answer) {
        return answer.isObject() && (field == null || answer.has(field));
    }

    /** Rows in the answer; 0 where it is one number. */
    int rows(JsonNode answer) {
        return field == null ? 0 : answer.path(field).size();
    }
}
