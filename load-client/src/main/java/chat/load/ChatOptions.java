package chat.load;

import chat.load.driver.ServerUrl;
import chat.load.plan.Arrivals;
import chat.load.plan.Arrivals.Stages.Stage;
import chat.load.plan.Crowd;
import chat.load.plan.Pacing;
import chat.load.plan.Placement;
import chat.load.plan.Plan;
import chat.load.plan.PlanSettings;
import chat.load.plan.PlanSettings.GuestSettings;
import chat.load.plan.PlanSettings.Pace;
import chat.load.plan.WarmUp;
import chat.load.run.RunSettings;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Holds the options that all chat scenarios share. Each scenario supplies its own defaults. */
final class ChatOptions {
    /** How far the rate that a server admits may deviate from its limit, as a share. */
    private static final double LIMIT_TOLERANCE = 0.01;

    @Option(
            names = "--url",
            required = true,
            showDefaultValue = Visibility.NEVER,
            paramLabel = "URL",
            description = "A chat server, ws://host:port; repeat it for several servers.")
    List<ServerUrl> urls = List.of();

    @Option(
            names = "--driver",
            defaultValue = "confab",
            paramLabel = "NAME",
            description = "Kind of server: ${COMPLETION-CANDIDATES}.",
            completionCandidates = OptionTypes.Drivers.class)
    String driver = "confab";

    @Option(
            names = "--token-key",
            paramLabel = "FILE",
            description = "Sign a token for each member with this key, for servers that require tokens; ./run "
                    + "--tokens stores its key in DIR/identity/signing-key.pem.")
    @Nullable
    Path tokenKey;

    // Size.

    @Option(names = "--rooms", paramLabel = "N", description = "Number of rooms.")
    int rooms = 20;

    @Option(
            names = "--users",
            paramLabel = "N",
            description = "Members of each room; with stages, their peak determines the number.")
    int users;

    @Option(
            names = "--messages",
            paramLabel = "N",
            description = "TEXTs of each member; with a rate, the default is as many as fit into the duration.")
    @Nullable
    Integer messages;

    @Option(
            names = "--rooms-per-client",
            defaultValue = "1",
            paramLabel = "N",
            description = "Rooms of each connection, 1 to 128.")
    int roomsPerClient = 1;

    @Mixin
    final TrafficOptions traffic = new TrafficOptions();

    // Pace.

    @Option(
            names = "--window",
            paramLabel = "N",
            description = "Closed loop: TEXTs of a member that may be in flight, until received back and "
                    + "acknowledged. 1 if no other pace is given.")
    @Nullable
    Integer window;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Open loop: messages per second of all members together, sent at intended times even if "
                    + "earlier ones are unanswered; latencies count from these times.")
    @Nullable
    Double rate;

    @Option(
            names = "--share",
            paramLabel = "SHARE",
            description = "Instead of a rate: this share of the maximum, which a closed loop of window 16 measures "
                    + "for ten seconds before the run.")
    @Nullable
    Double share;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long the chat lasts, such as 30s or 5m. Without it: until every message has arrived.")
    @Nullable
    Duration duration;

    @Option(
            names = "--warm-up",
            defaultValue = "none",
            paramLabel = "SPEC",
            description = "Sent before the run, and reported separately: N messages of each member in as many "
                    + "rooms, or CxN, C connections with N messages each; several rounds such as 1000+200, or "
                    + "none.")
    WarmUp warmUp = WarmUp.NONE;

    @Option(names = "--keep-connections", description = "Fail if a member's connection is lost or rejected.")
    boolean keepConnections;

    // Arrivals and departures.

    @Option(
            names = "--connect-rate",
            defaultValue = "1000",
            paramLabel = "N",
            description = "Connections opened per second.")
    double connectRate = 1000;

    @Option(
            names = "--stages",
            showDefaultValue = Visibility.NEVER,
            split = ",",
            paramLabel = "TIME:N",
            description = "Instead of the connect rate: number of connections over time, such as "
                    + "30s:1000,1m:1000,10s:0.")
    List<Stage> stages = List.of();

    @Option(
            names = "--visitors",
            paramLabel = "N",
            description = "Connections per second that join, listen and leave while the others chat.")
    double visitors;

    @Option(names = "--stay", defaultValue = "5s", paramLabel = "TIME", description = "How long a visitor stays.")
    Duration stay = Duration.ofSeconds(5);

    @Option(
            names = "--slow-readers",
            paramLabel = "N",
            description = "Connections that join, and stop reading when the chat begins.")
    int slowReaders;

    @Option(names = "--silent", paramLabel = "N", description = "Connections that join and never answer a ping.")
    int silent;

    @Option(
            names = "--within",
            defaultValue = "16s",
            paramLabel = "TIME",
            description = "Deadline for a server to close slow readers and silent connections.")
    Duration within = Duration.ofSeconds(16);

    @Option(
            names = "--crowd",
            defaultValue = "0",
            paramLabel = "N",
            description = "Clients that try to connect while the others chat, and again after each rejection.")
    int crowd;

    @Option(
            names = "--crowd-after",
            defaultValue = "15s",
            paramLabel = "TIME",
            description = "Delay of the crowd after the beginning of the chat.")
    Duration crowdAfter = Duration.ofSeconds(15);

    @Option(
            names = "--crowd-for",
            defaultValue = "60s",
            paramLabel = "TIME",
            description = "How long the crowd keeps trying.")
    Duration crowdFor = Duration.ofSeconds(60);

    @Option(
            names = "--keeps",
            defaultValue = "0.8",
            paramLabel = "SHARE",
            description = "The share of their throughput that members must keep during the crowd.")
    double keeps = 0.8;

    @Option(
            names = "--recovers",
            defaultValue = "5s",
            paramLabel = "TIME",
            description = "How soon after the crowd members must be as fast as before.")
    Duration recovers = Duration.ofSeconds(5);

    @Option(
            names = "--placement",
            paramLabel = "HOW",
            defaultValue = "spread",
            description = "spread distributes the members of a room over the servers; room keeps them on one; "
                    + "partition uses server crc32(roomId) mod partitions mod servers, as a proxy in front of "
                    + "them would.")
    Placement placement = Placement.SPREAD;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "4",
            description = "With --placement partition: number of partitions of the servers' log, 1 to 64.")
    int partitions = 4;

    // Limits and faults.

    @Option(
            names = "--limit",
            paramLabel = "N",
            description = "TEXTs per second that the server admits from one connection; the run fails if more or "
                    + "fewer are admitted. 'announced': the limit in its WELCOME.")
    OptionTypes.@Nullable Limit limit;

    @Option(
            names = "--burst",
            defaultValue = "0",
            paramLabel = "N",
            description = "TEXTs that the server admits at once at the beginning, in addition to the limit.")
    int burst;

    @Option(
            names = "--limit-shared",
            description = "The limit applies to all connections together: one user's, or the whole server's.")
    boolean limitShared;

    @Option(
            names = "--pending",
            defaultValue = "0",
            paramLabel = "N",
            description = "TEXTs above the limit that the server queues: these are admitted later, and TEXTs that "
                    + "find the queue full are rejected.")
    int pending;

    @Option(
            names = "--longest-wait",
            paramLabel = "TIME",
            description = "Time in which 99 of 100 admitted TEXTs must have their answer.")
    @Nullable
    Duration longestWait;

    @Option(
            names = "--retries",
            defaultValue = "5",
            paramLabel = "N",
            description = "How often a message is retried that a server rejected for now, each time after a longer "
                    + "wait.")
    int retries = 5;

    @Option(
            names = "--timeout",
            defaultValue = "60s",
            paramLabel = "TIME",
            description = "Without progress for this time, the run, or the wait for storage, is aborted.")
    Duration timeout = Duration.ofSeconds(60);

    // The rest.

    @Option(
            names = "--history-url",
            paramLabel = "URL",
            description = "Where stored messages are read back, http://host:port, or 'none' to leave storage "
                    + "unchecked. Default: the first server, then port 8090 on its host.")
    @Nullable
    URI historyUrl;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of users, texts, jitter and turnover. Default: the clock.")
    @Nullable
    Long seed;

    @Option(
            names = "--threads",
            paramLabel = "N",
            showDefaultValue = Visibility.NEVER,
            description = "Event loops. Default: half of the processors.")
    int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    @Option(names = "--out", paramLabel = "DIR", description = "Folder for the report and all figures.")
    @Nullable
    Path out;

    @Option(
            names = "--csv",
            paramLabel = "FILE",
            description = "File with a line for each message: timestamp,messageType,latency,statusCode,roomId.")
    @Nullable
    Path csv;

    @Mixin
    final SampleOptions sampling = new SampleOptions();

    /** @throws IllegalArgumentException if an option is invalid */
    PlanSettings planSettings() {
        return new PlanSettings(
                rooms,
                users,
                messages,
                roomsPerClient,
                traffic.traffic(),
                new Pace(window, rate, share),
                duration,
                keepConnections,
                stages.isEmpty() ? new Arrivals.Ramp(new Pacing.Rate(connectRate)) : new Arrivals.Stages(stages),
                new GuestSettings(visitors, stay, slowReaders, silent, within),
                crowd == 0 ? null : new Crowd(crowd, crowdAfter, crowdFor, keeps, recovers),
                planLimit(),
                retries,
                placement,
                partitions,
                seed == null ? System.nanoTime() : seed,
                timeout,
                warmUp);
    }

    private Plan.@Nullable Limit planLimit() {
        if (limit == null) return null;
        return new Plan.Limit(limit.perSecond(), burst, LIMIT_TOLERANCE, limitShared, pending, longestWait);
    }

    /**
     * @param arguments as typed
     * @throws IllegalArgumentException if an option is invalid
     */
    RunSettings runSettings(List<String> arguments) {
        boolean checksStorage = !OptionTypes.NO_HISTORY.equals(historyUrl);
        return new RunSettings(
                urls,
                threads,
                checksStorage,
                checksStorage ? historyUrl : null,
                out,
                csv,
                arguments,
                LoadClient.class.getPackage().getImplementationVersion());
    }
}
