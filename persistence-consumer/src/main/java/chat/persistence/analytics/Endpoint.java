package chat.persistence.analytics;

import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One question that REST answers.
 *
 * @param path template, with variables in braces
 * @param cached whether an answer may be given again for a while
 * @param history of questions: whether chat servers ask such, and must not wait for what others ask
 * @param read makes the question of a request's words
 */
record Endpoint<Q>(String path, boolean cached, Predicate<Q> history, Function<Words, Q> read, Answering<Q> answering) {

    /** Its answers may be given again for a while. */
    static <Q> Endpoint<Q> cached(String path, Function<Words, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, true, unused -> false, read, answering);
    }

    /** Each question gets an answer of its own. */
    static <Q> Endpoint<Q> fresh(String path, Function<Words, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, false, unused -> false, read, answering);
    }

    Endpoint<Q> asHistoryIf(Predicate<Q> asked) {
        return new Endpoint<>(path, cached, asked, read, answering);
    }

    /** Answers; blocking. */
    @FunctionalInterface
    interface Answering<Q> {
        Object answer(Q question) throws SQLException;
    }
}
