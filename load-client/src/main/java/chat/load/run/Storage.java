package chat.load.run;

import chat.load.check.RunHistory;
import chat.load.driver.ChatRun;
import chat.load.driver.HistoryReader;
import chat.load.driver.ServerUrl;
import chat.load.plan.Plan;
import chat.load.report.Counters;
import chat.load.report.RunRecord.PlatformMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Reads stored messages and metrics from the platform's REST API. Blocks its caller. */
final class Storage {
    private static final int DEFAULT_PORT = 8090;
    private static final Duration REQUEST = Duration.ofSeconds(20);

    private final URI base;
    private final @Nullable String token;

    private Storage(URI base, @Nullable String token) {
        this.base = base;
        this.token = token;
    }

    /**
     * Finds the first REST API that answers.
     *
     * @param historyUrl the only candidate; null to try the first server and its host
     * @param room an unused room
     * @param token sent with each request; null for none
     * @throws Unusable if no candidate answers
     */
    static Storage find(
            List<ServerUrl> servers, @Nullable URI historyUrl, Plan plan, String room, @Nullable String token)
            throws Unusable, InterruptedException {
        List<String> reasons = new ArrayList<>();
        for (URI candidate : candidates(servers, historyUrl)) {
            try {
                new HistoryReader(candidate, plan, token).probe(room);
                return new Storage(candidate, token);
            } catch (IOException | HistoryReader.Unusable noHistory) {
                String message = noHistory.getMessage();
                reasons.add(candidate + " (" + (message == null ? "no connection" : message) + ")");
            }
        }
        throw new Unusable("stored messages cannot be read back: " + String.join(", ", reasons)
                + "; give --history-url, or --history-url none to leave storage unchecked");
    }

    private static List<URI> candidates(List<ServerUrl> servers, @Nullable URI historyUrl) {
        if (historyUrl != null) return List.of(historyUrl);
        ServerUrl first = servers.getFirst();
        String host = (first.secure() ? "https://" : "http://") + first.uri().getHost();
        return List.of(URI.create(host + ":" + first.port()), URI.create(host + ":" + DEFAULT_PORT));
    }

    URI base() {
        return base;
    }

    HistoryReader reader(Plan plan) {
        return new HistoryReader(base, plan, token);
    }

    /** Waits until accepted messages are stored, then reads all of them back. */
    RunHistory readBack(ChatRun.Result result, Plan plan, Counters counters) throws InterruptedException {
        RunHistory history = result.history();
        try {
            return history.with(
                    reader(plan).read(history.rooms(), result.sent(), counters.stored::add), history.aborted());
        } catch (IOException | HistoryReader.Unusable lost) {
            List<String> aborted = new ArrayList<>(history.aborted());
            aborted.add("stored messages could not be read back: " + lost.getMessage());
            return history.with(history.rooms(), aborted);
        }
    }

    /** Reads all core and analytics results from {@code /api/metrics}. */
    PlatformMetrics metrics() throws InterruptedException {
        URI uri = base.resolve("/api/metrics");
        try (HttpClient http = HttpClient.newBuilder().connectTimeout(REQUEST).build()) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(uri).timeout(REQUEST).header("Accept", "application/json");
            if (token != null) request = request.header("Authorization", "Bearer " + token);
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200)
                return new PlatformMetrics.None(uri + " answered " + response.statusCode()
                        + (response.statusCode() == 404 ? ": not supported by this server" : ""));
            return new PlatformMetrics.Answer(
                    uri.toString(), JsonMapper.shared().readTree(response.body()));
        } catch (IOException | JacksonException away) {
            return new PlatformMetrics.None(uri + ": " + away.getMessage());
        }
    }
}
