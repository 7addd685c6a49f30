package chat.load.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Selects a report's charts over time by the names of the measured series. Patterns match metrics of any source; each
 * unmatched metric gets a small chart of its own.
 *
 * @param notMeasured titles of charts without data
 * @param nothingHappened titles of charts of problems that did not occur
 * @param others charts of unmatched metrics, one each
 */
record ChartCatalogue(List<Group> groups, List<String> notMeasured, List<String> nothingHappened, List<Chart> others) {
    enum Kind {
        LINES,
        /** Lines on a logarithmic scale. */
        LOG,
        /** Stacked areas. */
        STACKED
    }

    /**
     * A group of charts.
     *
     * @param sameScale whether they share one vertical scale
     */
    record Group(String title, boolean sameScale, List<Chart> charts) {}

    /**
     * One chart.
     *
     * @param events whether values count events, so that the sum is more useful than the mean
     */
    record Chart(String title, Unit unit, Kind kind, boolean events, List<Line> lines) {}

    /** One series of a chart. */
    record Line(String series, String source, String label) {}

    enum Unit {
        COUNT,
        PER_SECOND,
        MILLIS,
        SECONDS,
        BYTES,
        BYTES_PER_SECOND,
        CORES,
        SHARE
    }

    /**
     * Describes a possible chart.
     *
     * @param trouble whether all-zero data needs no chart
     * @param patterns full names, or {@code *.metric} for that metric, or one below it, of any source
     */
    private record Wanted(String group, String title, Unit unit, Kind kind, boolean trouble, List<String> patterns) {
        static Wanted chart(String group, String title, Unit unit, Kind kind, String... patterns) {
            return new Wanted(group, title, unit, kind, false, List.of(patterns));
        }

        boolean events() {
            return trouble || title.equals(ATTEMPTS);
        }

        static Wanted trouble(String group, String title, String... patterns) {
            return new Wanted(group, title, Unit.PER_SECOND, Kind.LINES, true, List.of(patterns));
        }

        static Wanted latency(String title, String what) {
            String name = "client." + what;
            return chart(
                    LATENCY, title, Unit.MILLIS, Kind.LOG, name + ".p50", name + ".p95", name + ".p99", name + ".max");
        }
    }

    private static final String LOAD = "Load";
    private static final String LATENCY = "Latency";
    private static final String CONNECTIONS = "Connections";
    private static final String STORAGE = "Log and storage";
    private static final String MACHINE = "Machine";
    private static final String ATTEMPTS = "Connection attempts";

    private static final Pattern BYTES =
            Pattern.compile("[Bb]ytes|[Hh]eap|[mM]emory[ATL]|^memory$|[Bb]uffers$|diskFree|allocated");

    private static final List<Wanted> ALL = List.of(
            Wanted.chart(LOAD, "Messages", Unit.PER_SECOND, Kind.LINES, "client.sent", "client.accepted"),
            Wanted.chart(LOAD, "Deliveries", Unit.PER_SECOND, Kind.LINES, "client.deliveries", "client.frames"),
            Wanted.chart(LOAD, "Messages in flight", Unit.COUNT, Kind.LINES, "client.inFlight"),
            Wanted.trouble(LOAD, "Refusals, retries and gaps", "client.refused", "client.retries", "client.gaps"),
            Wanted.latency("Frame to ACK", "ack"),
            Wanted.latency("Frame to own delivery", "own"),
            Wanted.latency("Frame to delivery at others", "others"),
            Wanted.latency("Frame to row", "row"),
            Wanted.latency("JOIN to WELCOME", "welcome"),
            Wanted.latency("Connect to WELCOME", "connect"),
            Wanted.chart(MACHINE, "CPU", Unit.CORES, Kind.STACKED, "*.cpu"),
            Wanted.chart(
                    MACHINE,
                    "CPU, the whole machine",
                    Unit.CORES,
                    Kind.LINES,
                    "machine.busy",
                    "machine.iowait",
                    "machine.steal"),
            Wanted.chart(MACHINE, "Memory, resident", Unit.BYTES, Kind.STACKED, "*.rss"),
            Wanted.chart(MACHINE, "Heap", Unit.BYTES, Kind.LINES, "*.heap"),
            Wanted.chart(MACHINE, "Heap after collections", Unit.BYTES, Kind.LINES, "*.heapAfterGc"),
            Wanted.chart(MACHINE, "Time in GC pauses", Unit.SHARE, Kind.LINES, "*.gcPause"),
            Wanted.chart(MACHINE, "Busiest thread", Unit.CORES, Kind.LINES, "*.busiestThread"),
            Wanted.chart(MACHINE, "Threads that wait for a core", Unit.COUNT, Kind.LINES, "*.cpuWait"),
            Wanted.chart(MACHINE, "Disks, busy", Unit.SHARE, Kind.LINES, "*.busy"),
            Wanted.chart(
                    STORAGE, "Queue depth", Unit.COUNT, Kind.LINES, "consumer.lagMessages", "*.depth", "*.unconfirmed"),
            Wanted.chart(STORAGE, "Batch size", Unit.COUNT, Kind.LINES, "*.batchSize", "*.messagesPerEntry"),
            Wanted.chart(
                    STORAGE,
                    "Time to write a batch",
                    Unit.MILLIS,
                    Kind.LINES,
                    "consumer.batchWriteMillis",
                    "consumer.batchWriteP99Millis"),
            Wanted.chart(STORAGE, "Rows stored", Unit.PER_SECOND, Kind.LINES, "consumer.stored"),
            Wanted.chart(STORAGE, "Commits", Unit.PER_SECOND, Kind.LINES, "*.commits"),
            Wanted.chart(STORAGE, "Write-ahead log", Unit.BYTES_PER_SECOND, Kind.LINES, "*.walBytes"),
            Wanted.chart(STORAGE, "Database cache hits", Unit.SHARE, Kind.LINES, "*.cacheHit", "*.hitRatio"),
            Wanted.chart(
                    STORAGE,
                    "Database sessions, by what they do",
                    Unit.COUNT,
                    Kind.STACKED,
                    "postgresql.running",
                    "postgresql.waitIo",
                    "postgresql.waitLock",
                    "postgresql.waitLwLock",
                    "postgresql.waitOther"),
            Wanted.trouble(STORAGE, "Waiting for locks", "*.waitingLocks"),
            Wanted.chart(STORAGE, "Consumer lag", Unit.SECONDS, Kind.LINES, "*.lag"),
            Wanted.chart(CONNECTIONS, "Connections", Unit.COUNT, Kind.LINES, "client.connected", "*.sessions"),
            Wanted.chart(
                    CONNECTIONS,
                    ATTEMPTS,
                    Unit.PER_SECOND,
                    Kind.LINES,
                    "client.attempts",
                    "client.failedConnects",
                    "client.reconnects"),
            Wanted.chart(CONNECTIONS, "Bytes in outboxes", Unit.BYTES, Kind.LINES, "*.outboxBytes"),
            Wanted.trouble(
                    CONNECTIONS,
                    "Troubles of the platform",
                    "*.refused",
                    "*.logRefused",
                    "*.paused",
                    "*.turnedAway",
                    "*.refusedAtDoor",
                    "*.closedSlow",
                    "*.resubscribed",
                    "*.entriesAgain",
                    "*.retries",
                    "*.deadLetters",
                    "*.fenced",
                    "*.gaps",
                    "*.rollbacks",
                    "*.deadlocks",
                    "*.errors"));

    /** Full names: patterns of other charts must not match them. */
    private static final Set<String> TAKEN = taken();

    private static Set<String> taken() {
        Set<String> names = new HashSet<>(Set.of("postgresql.sessions"));
        for (Wanted wanted : ALL)
            for (String pattern : wanted.patterns()) if (!pattern.startsWith("*")) names.add(pattern);
        return names;
    }

    static ChartCatalogue of(Samples samples) {
        List<String> known = new ArrayList<>();
        for (String name : samples.names())
            if (Arrays.stream(samples.values(name)).anyMatch(Double::isFinite)) known.add(name);
        Map<String, List<Chart>> groups = new LinkedHashMap<>();
        List<String> notMeasured = new ArrayList<>();
        List<String> nothingHappened = new ArrayList<>();
        Set<String> others = new LinkedHashSet<>(known);
        for (Wanted wanted : ALL) {
            List<Line> lines = lines(wanted, known);
            for (Line line : lines) others.remove(line.series());
            if (lines.isEmpty()) notMeasured.add(wanted.title());
            else if (wanted.trouble() && lines.removeIf(line -> zero(samples.values(line.series()))) && lines.isEmpty())
                nothingHappened.add(wanted.title());
            else
                groups.computeIfAbsent(wanted.group(), added -> new ArrayList<>())
                        .add(new Chart(wanted.title(), wanted.unit(), wanted.kind(), wanted.events(), lines));
        }
        List<Group> shown = new ArrayList<>();
        groups.forEach((title, charts) -> shown.add(new Group(title, title.equals(LATENCY), charts)));
        return new ChartCatalogue(shown, notMeasured, nothingHappened, others(others));
    }

    private static List<Chart> others(Set<String> names) {
        Map<String, List<Line>> byMetric = new LinkedHashMap<>();
        for (String name : names) {
            int dot = name.indexOf('.');
            String source = name.substring(0, Math.max(0, dot));
            byMetric.computeIfAbsent(name.substring(dot + 1), added -> new ArrayList<>())
                    .add(new Line(name, source, source));
        }
        List<Chart> charts = new ArrayList<>();
        byMetric.forEach((metric, lines) -> {
            Unit unit = BYTES.matcher(metric).find() ? Unit.BYTES : Unit.COUNT;
            charts.add(new Chart(words(metric), unit, Kind.LINES, false, lines));
        });
        return charts;
    }

    private static List<Line> lines(Wanted wanted, List<String> known) {
        List<Line> lines = new ArrayList<>();
        for (String pattern : wanted.patterns()) {
            if (pattern.startsWith("*.")) {
                String metric = pattern.substring(2);
                for (String name : known) {
                    int dot = name.indexOf('.');
                    if (dot < 0 || TAKEN.contains(name)) continue;
                    String source = name.substring(0, dot);
                    String rest = name.substring(dot + 1);
                    if (!rest.equals(metric) && !rest.startsWith(metric + ".")) continue;
                    String label = wanted.patterns().size() > 1
                            ? source + " " + words(rest)
                            : source + rest.substring(metric.length());
                    lines.add(new Line(name, source, label));
                }
            } else if (known.contains(pattern)) {
                lines.add(new Line(pattern, "client", words(pattern.substring(pattern.lastIndexOf('.') + 1))));
            }
        }
        return lines;
    }

    /** {@code failedConnects} becomes {@code failed connects}. */
    private static String words(String metric) {
        return metric.replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT)
                .replace('.', ' ');
    }

    private static boolean zero(double[] values) {
        return Arrays.stream(values).allMatch(value -> Double.isNaN(value) || value == 0);
    }
}
