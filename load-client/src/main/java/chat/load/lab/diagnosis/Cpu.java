package chat.load.lab.diagnosis;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Average cores used by each process during a stretch. */
final class Cpu {
    private static final String GENERATOR = "generator";
    private static final String CHAT = "chat-";

    private final Map<String, Double> servers = new LinkedHashMap<>();
    private final double generator;
    private final double busy;

    Cpu(Stretch stretch) {
        boolean consumerInside = stretch.has("consumer.stored") && !stretch.has("consumer.cpu");
        String chat = consumerInside ? "chat server with consumer" : "chat servers";
        for (String source : stretch.sources("cpu"))
            if (!source.equals(GENERATOR))
                servers.merge(source.startsWith(CHAT) ? chat : source, stretch.mean(source + ".cpu"), Double::sum);
        this.generator = stretch.mean(GENERATOR + ".cpu");
        this.busy = stretch.mean("machine.busy");
    }

    boolean knowsProcesses() {
        return !servers.isEmpty();
    }

    boolean knowsGenerator() {
        return !Double.isNaN(generator);
    }

    /** Cores used by all programs of the machine; NaN if only some are known. */
    double busy() {
        return busy;
    }

    /** Cores used by the run's programs, without the generator. */
    double servers() {
        return servers.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    double generator() {
        return generator;
    }

    /** Cores that neither the run's programs nor the generator used. */
    double others() {
        return Math.max(0, busy - servers() - (knowsGenerator() ? generator : 0));
    }

    /** Such as {@code chat servers 0.71, rabbitmq 0.38, generator 0.52 (27 %), others 0.05}. */
    String parts() {
        String text = knowsProcesses() ? list(servers, 1) + ", " : "";
        if (knowsGenerator()) text += format(ROOT, "generator %.2f (%.0f %%), ", generator, 100 * generator / busy);
        return text + format(ROOT, "others %.2f", others());
    }

    /** Cores of the servers, each times a factor. */
    String serverParts(double factor) {
        return list(servers, factor);
    }

    private static String list(Map<String, Double> parts, double factor) {
        return parts.entrySet().stream()
                .map(part -> format(ROOT, "%s %.2f", part.getKey(), factor * part.getValue()))
                .collect(Collectors.joining(", "));
    }
}
