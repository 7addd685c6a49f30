package chat.persistence.analytics;

import java.sql.SQLException;
import java.util.function.Function;

/**
 * One question that REST answers.
 *
 * @param path template, with variables in braces
 * @param cached whether an answer may be given again for a while
 * @param history whether chat servers ask it and must not wait for what others ask
 * @param permit who may ask
 * @param read makes the question of a request's words
 */
record Endpoint<Q>(
        String path, boolean cached, boolean history, Permit permit, Function<Words, Q> read, Answering<Q> answering) {

    /** Answers; blocking. */
    @FunctionalInterface
    interface Answering<Q> {
        Object answer(Q question) throws SQLException;
    }
}
