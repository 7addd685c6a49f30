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
 * @param permit who may ask
 * @param read makes the question of a request's words
 */
record Endpoint<Q>(
        String path,
        boolean cached,
        Predicate<Q> history,
        Permit permit,
        Function<RequestParams, Q> read,
        Answering<Q> answering) {

    /** Its answers may be given again for a while. */
    static <Q> Endpoint<Q> cached(String path, Permit permit, Function<RequestParams, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, true, unused -> false, permit, read, answering);
    }

    /** Each question gets an answer of its own. */
    static <Q> Endpoint<Q> fresh(String path, Permit permit, Function<RequestParams, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, false, unused -> false, permit, read, answering);
    }

    Endpoint<Q> asHistoryIf(Predicate<Q> asked) {
        return new Endpoint<>(path, cached, asked, permit, read, answering);
    }

    /** Answers; blocking. */
    @FunctionalInterface
    interface Answering<Q> {
        Object answer(Q question) throws SQLException;
    }
}
