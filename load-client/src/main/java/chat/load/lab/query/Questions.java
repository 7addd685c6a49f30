package chat.load.lab.query;

import chat.load.lab.query.Query.Draw;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Draws questions: for one seed the n-th question is always the same. Every query occurs once per round, in a new
 * order each round, so that no query always follows the slowest one.
 */
final class Questions {
    private static final int PAGE = 1000;
    private static final int TOP = 10;
    private static final long MIN_WINDOW_MILLIS = 1_000;
    private static final long HOUR_MILLIS = Duration.ofHours(1).toMillis();
    private static final long DAY_MILLIS = Duration.ofDays(1).toMillis();
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private final List<Query> queries;
    private final Known known;
    private final long seed;

    Questions(List<Query> queries, Known known, long seed) {
        this.queries = List.copyOf(queries);
        this.known = known;
        this.seed = seed;
    }

    /** @param index counted from 0 */
    Question question(long index) {
        long round = Math.floorDiv(index, queries.size());
        List<Query> order = new ArrayList<>(queries);
        Collections.shuffle(order, new Random(mixed(~round)));
        Query query = order.get((int) Math.floorMod(index, (long) queries.size()));
        return question(query, new Random(mixed(index)));
    }

    Question question(Query query, Random random) {
        List<Draw> draws = query.draws();
        Known.@Nullable Room room = draws.contains(Draw.ROOM) ? any(known.rooms(), random) : null;
        String user = draws.contains(Draw.USER) ? any(known.users(), random) : null;
        @Nullable Instant from = null;
        @Nullable Instant to = null;
        if (draws.contains(Draw.TIMES) || draws.contains(Draw.HOUR) || draws.contains(Draw.DAY)) {
            Instant first = room == null ? known.from() : room.from();
            long span = Math.max(
                    1,
                    Duration.between(first, room == null ? known.to() : room.to())
                            .toMillis());
            long length = length(longest(draws, span), random);
            from = first.plusMillis(random.nextLong(span - length + 1));
            to = from.plusMillis(length);
        }
        @Nullable Long after = null;
        @Nullable Long before = null;
        if (room != null && draws.contains(Draw.AFTER)) after = random.nextLong(room.first() - 1, room.last());
        if (room != null && draws.contains(Draw.BEFORE)) before = random.nextLong(room.first(), room.last() + 1) + 1;
        return new Question(
                query,
                room == null ? null : room.roomId(),
                user,
                after,
                before,
                from,
                to,
                draws.contains(Draw.PAGE) ? PAGE : draws.contains(Draw.TOP) ? TOP : 0);
    }

    private static long longest(List<Draw> draws, long span) {
        if (draws.contains(Draw.HOUR)) return Math.min(span, HOUR_MILLIS);
        return draws.contains(Draw.DAY) ? Math.min(span, DAY_MILLIS) : span;
    }

    /** Logarithmic distribution: as many windows of one to ten seconds as of ten to a hundred. */
    private static long length(long longest, Random random) {
        if (longest <= MIN_WINDOW_MILLIS) return longest;
        double exponent = random.nextDouble() * Math.log((double) longest / MIN_WINDOW_MILLIS);
        return Math.min(longest, Math.round(MIN_WINDOW_MILLIS * Math.exp(exponent)));
    }

    private static <T> T any(List<T> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** {@link Random} with neighbouring seeds starts with similar values; SplitMix64's finaliser separates them. */
    private long mixed(long index) {
        long z = seed + index * GOLDEN_GAMMA;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
