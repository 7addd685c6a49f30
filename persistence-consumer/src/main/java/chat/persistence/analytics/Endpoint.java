package chat.persistence.analytics;

import java.sql.SQLException;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * One REST query.
 *
 * @param path template, with variables in braces
 * @param cached whether a response may be reused for a while
 * @param history whether chat servers send this query; it then runs on its own threads and never waits for other
 *     queries
 * @param permit callers that may send it
 * @param read parses the request's parameters
 */
record Endpoint<Q>(
        String path,
        boolean cached,
        Predicate<Q> history,
        Permit permit,
        Function<RequestParams, Q> read,
        Answering<Q> answering) {

    /** An endpoint whose responses may be reused for a while. */
    static <Q> Endpoint<Q> cached(String path, Permit permit, Function<RequestParams, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, true, unused -> false, permit, read, answering);
    }

    /** An endpoint that computes each response. */
    static <Q> Endpoint<Q> fresh(String path, Permit permit, Function<RequestParams, Q> read, Answering<Q> answering) {
        return new Endpoint<>(path, false, unused -> false, permit, read, answering);
    }

    Endpoint<Q> asHistoryIf(Predicate<Q> asked) {
        return new Endpoint<>(path, cached, asked, permit, read, answering);
    }

    /** Computes the response. Blocking. */
    @FunctionalInterface
    interface Answering<Q> {
        Object answer(Q question) throws SQLException;
    }
}
