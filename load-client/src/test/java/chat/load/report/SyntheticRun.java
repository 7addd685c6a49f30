package chat.load.report;

import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.report.RunRecord.MessageCount;
import chat.load.report.RunRecord.Phase;
import chat.load.report.RunRecord.PlatformMetrics;
import chat.load.report.RunRecord.RoomThroughput;
import chat.load.report.RunRecord.WarmUp;
import chat.load.report.TenSecondCounts.Event;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;

/** Runs that never were: reproducible, with the shapes that real ones have. */
final class SyntheticRun {
    static final int ROOMS = 20;
    static final int USERS = 50;

    private final Random random;
    private final Samples samples = new Samples();
    private final int connect = 10;
    private final int chat;
    private final int storage = 12;
    private final double rate;
    private final Map<String, Histogram> latencies = new LinkedHashMap<>();

    private boolean failed;
    private String batchSize = "1000";
    private String dialect = "confab";

    /**
     * @param chatSeconds of the chat phase; before it 22 s, after it 12
     * @param rate messages per second that it settles at
     */
    SyntheticRun(int chatSeconds, double rate, long seed) {
        this.chat = chatSeconds;
        this.rate = rate;
        this.random = new Random(seed);
    }

    SyntheticRun failed() {
        failed = true;
        return this;
    }

    SyntheticRun batchSize(int messages) {
        batchSize = Integer.toString(messages);
        return this;
    }

    SyntheticRun dialect(String name) {
        dialect = name;
        return this;
    }

    RunRecord record() {
        int warmUp = 12;
        int begin = warmUp + connect;
        int end = begin + chat;
        int all = end + storage;
        for (int second = 0; second < all; second++) second(second, warmUp, begin, end);
        long sent = Math.round(rate * chat);
        Histogram ack = latency(RunRecord.ACK, 6_000, 0.55, 200_000);
        latency(RunRecord.OWN_DELIVERY, 6_400, 0.55, 200_000);
        latency(RunRecord.OTHERS_DELIVERY, 7_000, 0.6, 400_000);
        latency(RunRecord.ROW, 310_000, 0.35, 200_000);
        latency(RunRecord.WELCOME, 2_000, 0.8, 1_000);
        latency(RunRecord.CONNECT, 3_500, 0.8, 1_000);
        return new RunRecord(
                "k3f9q2",
                new RunPlan(
                        "baseline",
                        "20 rooms x 50 users x 500 messages = 500,000 TEXTs",
                        List.of(
                                new RunPlan.Setting("window", "4"),
                                new RunPlan.Setting("payload", "100 bytes"),
                                new RunPlan.Setting("connect rate", "100/s"),
                                new RunPlan.Setting("placement", "spread"),
                                new RunPlan.Setting("dialect", dialect),
                                new RunPlan.Setting("batch size", batchSize),
                                new RunPlan.Setting("seed", "7")),
                        JsonMapper.shared()
                                .readTree("{\"scenario\":\"baseline\",\"rooms\":20,\"users\":50,\"messages\":500,"
                                        + "\"payload\":100,\"dialect\":\"" + dialect
                                        + "\",\"setting\":{\"chat.consumer.batch-size\":\"" + batchSize
                                        + "\"},\"pacing\":{\"window\":4},\"seed\":7}")),
                List.of("ws://localhost:8081", "ws://localhost:8082"),
                new Environment(
                        "2026-11-21T03:14:15Z",
                        true,
                        "0.1.0",
                        "ad18cc5bf030b5c1f593e923bec4880d8b8d41c3-dirty",
                        "load baseline --url ws://localhost:8081 --url ws://localhost:8082 --out runs/baseline",
                        2,
                        "AMD EPYC 7B13",
                        8L << 30,
                        "Debian GNU/Linux 12 (bookworm)",
                        "Linux 6.1.0-28-amd64 amd64",
                        "25.0.1+8-LTS (OpenJDK 64-Bit Server VM, Eclipse Adoptium)"),
                verdict(sent),
                new Summary.Seconds(connect, chat, storage, all),
                new Summary.Counts(
                        1000,
                        failed ? 41 : 0,
                        3,
                        120,
                        failed ? 17 : 0,
                        0,
                        failed ? 2 : 0,
                        sent * 9,
                        sent * 8,
                        sent * USERS),
                latencies,
                samples,
                List.of(
                        new Phase("warm-up", 0),
                        new Phase("connect", warmUp),
                        new Phase(RunRecord.CHAT, begin),
                        new Phase("storage", end)),
                throughput(begin, sent),
                rooms(sent),
                Map.of(
                        "TEXT",
                        new MessageCount(sent, sent),
                        "JOIN",
                        new MessageCount(1_000, 1_000),
                        "LEAVE",
                        new MessageCount(1_000, 999)),
                findings(),
                new WarmUp(1, 32, 32_000, 32_000, 11.2, Map.of(RunRecord.ACK, Percentiles.of(ack))),
                new PlatformMetrics.Answer(
                        "http://localhost:8090/api/metrics",
                        JsonMapper.shared()
                                .readTree(
                                        "{\"core\":{\"roomTimeline\":{\"room\":\"k3f9q2-7\",\"rows\":1000,\"millis\":8.1},"
                                                + "\"activeUsers\":{\"users\":1000,\"millis\":14.2}},\"analytics\":{\"messagesPerSecond\":"
                                                + rate + ",\"topRooms\":[{\"room\":\"k3f9q2-1\",\"messages\":25000},"
                                                + "{\"room\":\"k3f9q2-2\",\"messages\":25000}]}}")));
    }

    private void second(int second, int warmUp, int begin, int end) {
        boolean chatting = second >= begin && second < end;
        double into = chatting ? second - begin : 0;
        // Climbs for some seconds, then a plateau with a sag every 25 s and some noise.
        double shape = chatting ? Math.min(1, 0.35 + into / 8) * (second % 25 == 3 ? 0.72 : 1) * noise(0.04) : 0;
        double load = second < warmUp ? 0.6 * noise(0.1) : shape;
        double members = (double) ROOMS * USERS;
        double connected = second < warmUp
                ? 0
                : second < begin
                        ? Math.min(members, (second - warmUp + 1) * members / connect)
                        : second < end ? members : 0;
        put(second, "client.connected", connected);
        put(second, "client.attempts", second >= warmUp && second < begin ? members / connect : 0);
        put(second, "client.failedConnects", second == warmUp + 3 ? 3 : 0);
        put(second, "client.reconnects", failed && second == begin + chat / 2 ? 41 : 0);
        put(second, "client.sent", rate * shape);
        put(second, "client.accepted", rate * shape * noise(0.01));
        put(second, "client.refused", 0);
        put(second, "client.retries", chatting && second % 25 == 3 ? 24 : 0);
        put(second, "client.deliveries", rate * shape * USERS);
        put(second, "client.frames", rate * shape * 9);
        put(second, "consumer.stored", second >= end ? rate * chat / storage : Double.NaN);
        put(second, "client.inFlight", rate * shape * 0.0072 * noise(0.05));
        put(second, "client.gaps", 0);
        percentiles(second, "ack", chatting, 6);
        percentiles(second, "own", chatting, 6.4);
        percentiles(second, "others", chatting, 7);
        percentiles(second, "row", chatting || (second >= end && second < end + 2), 310);
        percentiles(second, "welcome", second >= warmUp && second < begin, 2);
        percentiles(second, "connect", second >= warmUp && second < begin, 3.5);
        process(second, "generator", 0.32 * load, 210e6, 24, 1040);
        process(second, "chat-8081", 0.42 * load, 380e6, 38, 560);
        process(second, "chat-8082", 0.41 * load, 371e6, 38, 558);
        process(second, "consumer", 0.17 * load, 290e6, 31, 60);
        process(second, "rabbitmq", 0.38 * load, 160e6, 44, 82);
        process(second, "postgresql", 0.22 * load, 240e6, 14, 120);
        for (String jvm : List.of("generator", "chat-8081", "chat-8082", "consumer")) {
            put(
                    second,
                    jvm + ".heap",
                    (60 + 90 * ((second * 7 + jvm.length() * 13) % 29) / 29.0) * 1e6 * (0.5 + load / 2));
            put(second, jvm + ".gcPause", load * 0.004 * noise(0.8));
        }
        put(second, "machine.busy", Math.min(2, 2.05 * load * noise(0.02) + 0.03));
        put(second, "machine.iowait", 0.02 * load * noise(0.5));
        put(second, "machine.steal", 0.01 * noise(0.5));
        // Asked less often.
        if (second % 5 == 0) put(second, "chat-8081.busiestThread", Math.min(1, load * 0.7 * noise(0.05)));
        put(second, "chat-8081.sessions", connected / 2);
        put(second, "chat-8082.sessions", connected / 2);
        put(second, "chat-8081.outboxBytes", load * 4e5 * noise(0.5));
        put(second, "chat-8082.outboxBytes", load * 4e5 * noise(0.5));
        put(second, "rabbitmq.depth", load * 120 * noise(0.7));
        put(second, "rabbitmq.unconfirmed", load * 14 * noise(0.4));
        put(second, "consumer.lag", load * 0.29 * noise(0.3));
        put(second, "consumer.batchSize", load > 0 ? 930 * noise(0.08) : Double.NaN);
        put(second, "postgresql.commits", load * rate / 930 * noise(0.05));
        put(second, "postgresql.cacheHit", 0.996 + 0.003 * random.nextDouble());
        put(second, "postgresql.waitingLocks", 0);
        put(second, "postgresql.walBytes", load * rate * 640 * noise(0.1));
    }

    private void process(int second, String name, double cpu, double rss, int threads, int files) {
        put(second, name + ".cpu", Math.max(0.004, cpu * noise(0.06)));
        put(second, name + ".rss", rss * (1 + Math.min(0.3, second / 400.0)) * noise(0.004));
        put(second, name + ".threads", threads);
        put(second, name + ".fds", files);
    }

    private void percentiles(int second, String what, boolean measured, double median) {
        double p50 = measured ? median * noise(0.08) * (second % 25 == 3 ? 2.6 : 1) : Double.NaN;
        put(second, "client." + what + ".p50", p50);
        put(second, "client." + what + ".p95", p50 * 2.1 * noise(0.1));
        put(second, "client." + what + ".p99", p50 * 3.4 * noise(0.2));
        put(second, "client." + what + ".max", p50 * 7 * noise(0.4));
    }

    private void put(int second, String name, double value) {
        samples.put(second, name, value);
    }

    private double noise(double share) {
        return Math.max(0.05, 1 + share * random.nextGaussian());
    }

    private Histogram latency(String name, double medianMicros, double spread, int count) {
        Histogram histogram = new Histogram(3);
        for (int i = 0; i < count; i++)
            histogram.recordValue((long) (medianMicros * Math.exp(spread * random.nextGaussian())));
        latencies.put(name, histogram);
        return histogram;
    }

    /** As steady as L = λW wants it, for a mean of 7 ms. */
    private Throughput throughput(int begin, long sent) {
        TenSecondCounts counts = new TenSecondCounts();
        for (int second = 0; second < chat; second++)
            for (Event event : Event.values()) counts.add(event, Math.round(rate), second * 1_000_000_000L);
        return new Throughput(begin, chat, counts, sent * 0.007);
    }

    private List<RoomThroughput> rooms(long sent) {
        List<RoomThroughput> rooms = new ArrayList<>();
        for (int room = 0; room < ROOMS; room++)
            rooms.add(new RoomThroughput(
                    "k3f9q2-" + room,
                    sent / ROOMS,
                    sent / ROOMS,
                    sent / ROOMS * USERS,
                    chat * (0.9 + 0.1 * random.nextDouble())));
        return rooms;
    }

    private static List<Finding> findings() {
        return List.of(
                new Finding(
                        "machine.cpu",
                        "The machine's 2 cores were 97 % busy on average during chat, above 95 % in 48 of 60 seconds: "
                                + "servers 0.83, rabbitmq 0.38, generator 0.32, postgresql 0.22, consumer 0.17 cores.",
                        Finding.Level.SATURATED),
                new Finding(
                        "client.accepted",
                        "A plateau: 8,214 messages/s, standard deviation 5.8 % of the mean, slope -0.1 % per minute.",
                        Finding.Level.INFO),
                new Finding(
                        "consumer.lag",
                        "At most 0.48 s, 0.29 s on average: the consumer keeps up.",
                        Finding.Level.INFO),
                new Finding(
                        "generator.cpu",
                        "The generator took 0.32 cores, 16 % of the machine that it shares with the servers.",
                        Finding.Level.NOTICE));
    }

    private Verdict verdict(long sent) {
        List<Check> checks = new ArrayList<>();
        for (String name : List.of(
                "the run came to its end",
                "every TEXT was accepted",
                "accepted is stored",
                "rows are unique",
                "nothing is stored that was not sent",
                "refused is not stored",
                "rows hold what was sent",
                "rows ascend by position",
                "that order is the stored one",
                "positions told are positions stored",
                "every member received every TEXT",
                "nobody received a TEXT twice",
                "nobody received what was not sent, or what was refused",
                "all members of a room saw one order",
                "each sender's own order was kept",
                "history fills every GAP",
                "servers kept to the protocol")) {
            boolean broken = failed && name.equals("every member received every TEXT");
            boolean skipped = failed && name.equals("history fills every GAP");
            checks.add(new Check(
                    name,
                    broken ? Status.FAIL : skipped ? Status.SKIPPED : Status.PASS,
                    broken ? 3 : 0,
                    broken
                            ? List.of(
                                    "room k3f9q2-4: member 17 lacks message 211 of member 3 (</script><script>alert(1)</script>)",
                                    "room k3f9q2-4: member 17 lacks message 212 of member 3",
                                    "room k3f9q2-4: member 17 lacks message 213 of member 3")
                            : skipped ? List.of("storage was not asked") : List.of()));
        }
        long missing = failed ? 3 : 0;
        long expected = sent * USERS;
        return new Verdict(sent, sent, 0, 0, 0, sent, expected, expected - missing, 0, missing, 0, 0, 0, checks);
    }
}
