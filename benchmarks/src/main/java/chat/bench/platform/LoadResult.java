package chat.bench.platform;

import chat.load.lab.matrix.Figures;
import chat.load.lab.matrix.Figures.Latency;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * Holds the result of a load that passed all checks.
 *
 * @param summary the content of its {@code summary.json}
 */
public record LoadResult(JsonNode summary, Figures figures) {
    private static final Latency UNKNOWN = new Latency(Double.NaN, Double.NaN, Double.NaN);

    /** Accepted messages per second. */
    public double rate() {
        return figures.rates().getOrDefault("accepted", 0.0);
    }

    /** CPU time of all sampled processes except the load client, in µs per delivery; NaN if unknown. */
    public double cpuMicrosPerDelivery() {
        Double micros = figures.serverCpuMicrosPerDelivery();
        return micros == null ? Double.NaN : micros;
    }

    /** The latency with this name, such as {@code frame to ACK}; NaN if it was not measured. */
    public Latency latency(String name) {
        return figures.latencyMillis().getOrDefault(name, UNKNOWN);
    }

    /** Duration of a phase: {@code join}, {@code chat}, {@code storage} or {@code all}. */
    public double seconds(String phase) {
        return summary.path("seconds").path(phase).asDouble(Double.NaN);
    }

    /**
     * Mean number of cores that processes used while messages were sent.
     *
     * @param process {@code chat} for all chat servers, {@code rabbitmq} or {@code generator}
     */
    public double cores(String process) {
        double cores = 0;
        for (Map.Entry<String, JsonNode> use : summary.path("processes").properties())
            if (use.getKey().equals(process) || use.getKey().startsWith(process + "-"))
                cores += use.getValue().path("cpuMean").asDouble(0);
        return cores;
    }
}
