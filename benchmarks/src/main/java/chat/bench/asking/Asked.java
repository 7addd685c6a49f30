package chat.bench.asking;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Defines a kind of query and records its response times.
 *
 * @param target target of the p99, in milliseconds
 */
record Asked(String name, double target, Function<Drawn, String> path, Histogram micros) {
    private static final long MAX_MICROS = 60_000_000;

    private Asked(String name, double target, Function<Drawn, String> path) {
        this(name, target, path, new ConcurrentHistogram(MAX_MICROS, 3));
    }

    /** Draws the parameters of queries at random. */
    static final class Drawn {
        private final SplittableRandom random;
        private final Archive archive;
        private final long messages;

        /** @param messages number of messages in the archive */
        Drawn(Archive archive, long messages, long seed) {
            this.archive = archive;
            this.messages = messages;
            this.random = new SplittableRandom(seed);
        }

        int room() {
            return 1 + random.nextInt(Archive.ROOMS);
        }

        int user() {
            return 1 + random.nextInt(Archive.USERS);
        }

        long position() {
            return random.nextLong(messages) * 16;
        }

        /** Returns a range from one second to the longest, log-uniform in length. */
        String range(Duration longest) {
            long span = Duration.between(archive.begin(), archive.end()).toMillis();
            long most = Math.min(span, longest.toMillis());
            long length = (long) (1000 * Math.exp(random.nextDouble() * Math.log(most / 1000.0)));
            Instant from = archive.begin().plusMillis(random.nextLong(span - length + 1));
            return "from=" + from + "&to=" + from.plusMillis(length);
        }

        /** Returns a range that ends now. */
        String last(Duration length) {
            Instant now = Instant.now();
            return "from=" + now.minus(length) + "&to=" + now;
        }
    }

    /** Returns all queries of the REST API. */
    static List<Asked> all() {
        Duration any = Duration.ofDays(366);
        Duration hour = Duration.ofHours(1);
        Duration day = Duration.ofDays(1);
        return List.of(
                new Asked(
                        "Q1, 1,000 messages of a room in a range",
                        20,
                        drawn -> "/api/rooms/" + drawn.room() + "/messages?limit=1000&" + drawn.range(any)),
                new Asked(
                        "Q1, 1,000 messages after a position",
                        20,
                        drawn -> "/api/rooms/" + drawn.room() + "/messages?limit=1000&after=" + drawn.position()),
                new Asked(
                        "Q1, the latest 1,000",
                        20,
                        drawn -> "/api/rooms/" + drawn.room() + "/messages?limit=1000&before=9223372036854775807"),
                new Asked(
                        "Q2, a user's messages in a range",
                        20,
                        drawn -> "/api/users/" + drawn.user() + "/messages?limit=1000&" + drawn.range(any)),
                new Asked(
                        "Q2, a user's latest 100", 20, drawn -> "/api/users/" + drawn.user() + "/messages?before=end"),
                new Asked(
                        "Q3, distinct users in a range",
                        50,
                        drawn -> "/api/analytics/active-users?" + drawn.range(any)),
                new Asked(
                        "Q3, distinct users of the last 24 hours",
                        50,
                        drawn -> "/api/analytics/active-users?" + drawn.last(day)),
                new Asked("Q4, a user's rooms", 5, drawn -> "/api/users/" + drawn.user() + "/rooms"),
                new Asked(
                        "messages per second", 20, drawn -> "/api/analytics/messages-per-second?" + drawn.range(hour)),
                new Asked("messages per minute", 20, drawn -> "/api/analytics/messages-per-minute?" + drawn.range(day)),
                new Asked("hourly", 20, drawn -> "/api/analytics/hourly?" + drawn.range(Duration.ofDays(31))),
                new Asked("top users of all time", 20, drawn -> "/api/analytics/top-users?limit=10"),
                new Asked("top users in a range", 20, drawn -> "/api/analytics/top-users?limit=10&" + drawn.range(any)),
                new Asked("top rooms of all time", 20, drawn -> "/api/analytics/top-rooms?limit=10"),
                new Asked("top rooms in a range", 20, drawn -> "/api/analytics/top-rooms?limit=10&" + drawn.range(any)),
                new Asked("participation of all time", 20, drawn -> "/api/analytics/participation"),
                new Asked("participation in a range", 20, drawn -> "/api/analytics/participation?" + drawn.range(day)));
    }

    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %.1f | %.0f | %s |",
                name,
                millis(50),
                millis(99),
                micros.getMaxValue() / 1000.0,
                target,
                millis(99) <= target ? "yes" : "no");
    }

    private double millis(double percentile) {
        return micros.getValueAtPercentile(percentile) / 1000.0;
    }
}
