package chat.bench.platform;

import chat.load.lab.child.Child;
import chat.load.lab.child.ClientRun;
import chat.load.lab.child.Launch;
import chat.load.lab.matrix.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;

/** Runs loads with {@code ./load}, one at a time. A failed check of a load fails the measurement. */
public final class Loads {
    private static final Duration LIMIT = Duration.ofHours(2);
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final int MAX_COMPLAINTS = 5;

    private final Platforms platforms;

    public Loads(Platforms platforms) {
        this.platforms = platforms;
    }

    /** A load that has been started. */
    public static final class Running {
        private final String target;
        private final ClientRun client;

        private Running(String target, ClientRun client) {
            this.target = target;
            this.client = client;
        }

        public boolean isAlive() {
            return client.isAlive();
        }

        /** Waits for the end of the load. */
        public LoadResult await() throws InterruptedException {
            ClientRun.Ended ended = client.await(LIMIT);
            if (ended == null)
                throw new MeasurementFailure(
                        "The load on " + target + " did not end within " + LIMIT.toHours() + " h.");
            if (!ended.passed() || ended.summary() == null)
                throw new MeasurementFailure("The load on " + target + " failed: " + complaints(ended.lastLines()));
            JsonNode summary = Objects.requireNonNull(ended.summary());
            return new LoadResult(summary, Figures.of(summary));
        }
    }

    static String complaints(List<String> lines) {
        List<String> complaints = lines.stream()
                .filter(line -> line.contains("FAIL") || (!line.isEmpty() && Character.isUpperCase(line.charAt(0))))
                .limit(MAX_COMPLAINTS)
                .map(String::strip)
                .toList();
        return String.join(System.lineSeparator(), complaints.isEmpty() ? lines : complaints);
    }

    /** Runs a load on a platform of this name and also samples the platform's database and broker. */
    public LoadResult run(String platform, List<String> arguments) throws IOException, InterruptedException {
        return start(platform, arguments).await();
    }

    /** Starts the load of {@link #run}. */
    public Running start(String platform, List<String> arguments) throws IOException {
        Path directory = Files.createDirectories(platforms.directory(platform));
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--platform-dir", directory.toString()));
        return start(platform, List.of(), all);
    }

    /**
     * Starts a load.
     *
     * @param target for messages
     * @param prefix a program that runs {@code ./load} and exits with its exit code; empty if there is none
     */
    public Running start(String target, List<String> prefix, List<String> arguments) throws IOException {
        Path folder = platforms.work().resolve("load");
        Files.deleteIfExists(folder.resolve(ClientRun.LOG));
        List<String> client = new ArrayList<>(prefix);
        client.add(platforms.own().script("load"));
        return new Running(target, ClientRun.start(platforms.children(), client, arguments, folder));
    }

    /** Starts a server that Confab is compared with. Its output is in {@link Child#log}. */
    public Child startPeer(String name) throws IOException {
        Path log = platforms.work().resolve(name + ".out");
        Files.deleteIfExists(log);
        return platforms
                .children()
                .start(new Launch(
                        List.of(platforms.own().script("load-client/peers/start"), name), Map.of(), log, GRACE));
    }

    public void stopPeer(Child peer) {
        platforms.children().stop(peer);
    }
}
