package chat.load.lab.query;

import chat.load.plan.Pacing.Rate;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Defines what {@code load queries} does.
 *
 * @param bases base URLs of the REST API, each {@code http://host:port}; questions are distributed over them
 * @param queries names of the catalogue; none: all
 * @param subjects what to ask about; missing parts are discovered
 * @param concurrency maximum number of questions in flight
 * @param rate questions per second in total, at intended times; null: closed loop with {@code concurrency} threads
 * @param warmup unmeasured questions per query
 * @param iterations questions per query; 0: no limit
 * @param duration how long questions are asked; null: no limit
 * @param timeout for one answer
 * @param judgeTargets whether a missed target fails the run
 * @param ingest a scenario of the load client with its options that runs at the same time; empty: none. Without other
 *     limits asking stops when it ends
 */
public record QueryPlan(
        List<URI> bases,
        List<String> queries,
        Subjects subjects,
        int concurrency,
        @Nullable Rate rate,
        int warmup,
        int iterations,
        @Nullable Duration duration,
        Duration timeout,
        boolean judgeTargets,
        long seed,
        List<String> ingest) {

    public QueryPlan {
        if (bases.isEmpty()) throw new IllegalArgumentException("a URL is needed");
        if (concurrency < 1 || concurrency > 10_000)
            throw new IllegalArgumentException("concurrency must be 1 to 10,000");
        if (warmup < 0 || iterations < 0) throw new IllegalArgumentException("warmup and iterations can't be negative");
        if (duration != null && !duration.isPositive())
            throw new IllegalArgumentException("duration must be more than nothing");
        if (timeout.toMillis() < 1) throw new IllegalArgumentException("timeout must be at least 1 ms");
        if (iterations == 0 && duration == null && ingest.isEmpty())
            throw new IllegalArgumentException("iterations, a duration or an ingest has to end it");
        var unused = Catalogue.named(queries);
        bases = List.copyOf(bases);
        queries = List.copyOf(queries);
        ingest = List.copyOf(ingest);
    }

    /**
     * The subjects of the queries.
     *
     * @param rooms their ids; none: those of {@code runName}, or else those that have messages
     * @param runName name of a load client run, whose rooms are {@code <runName>-0} and so on; null: none
     * @param users their ids; none: the rooms' senders
     * @param from null: the first message of the rooms
     * @param to null: the last message of the rooms
     */
    public record Subjects(
            List<String> rooms,
            @Nullable String runName,
            List<String> users,
            @Nullable Instant from,
            @Nullable Instant to) {
        public Subjects {
            if (from != null && to != null && !from.isBefore(to))
                throw new IllegalArgumentException("from must be before to");
            if (!rooms.isEmpty() && runName != null)
                throw new IllegalArgumentException("rooms are given one by one or by a run's name, not both");
            rooms = List.copyOf(rooms);
            users = List.copyOf(users);
        }
    }
}
