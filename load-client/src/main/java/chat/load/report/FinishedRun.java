package chat.load.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/**
 * Holds a run read back from its folder.
 *
 * @param varied what a sweep or comparison varied for this run, by setting; empty if none
 * @param plan every value of the plan by its path, such as {@code guests.count}
 * @param environment what determines performance: machine, JDK, commit
 * @param samples empty if the folder has none
 */
record FinishedRun(
        String name,
        JsonNode summary,
        Map<String, String> varied,
        Map<String, String> plan,
        Map<String, String> environment,
        Samples samples) {
    /** Files beside the run folders that they list. */
    private static final List<String> MATRICES = List.of("sweep.json", "compare.json");

    private static final List<String> MACHINE =
            List.of("commit", "version", "cores", "cpu", "memoryBytes", "os", "kernel", "jdk", "sharesMachine");

    /** @param name its name in comparisons */
    static FinishedRun read(Path folder, String name) throws UnreadableRun {
        Path file = folder.resolve(RunFolder.SUMMARY);
        JsonNode summary = json(file);
        if (!summary.path("passed").isBoolean() || !summary.path("verdict").isObject())
            throw new UnreadableRun(file + " is not the summary of a run");
        Path planFile = folder.resolve(RunFolder.PLAN);
        JsonNode plan = Files.exists(planFile) ? json(planFile) : summary.path("plan");
        Path environmentFile = folder.resolve(RunFolder.ENVIRONMENT);
        JsonNode environment = Files.exists(environmentFile) ? json(environmentFile) : MissingNode.getInstance();
        Path samplesFile = folder.resolve(RunFolder.SAMPLES);
        return new FinishedRun(
                name,
                summary,
                varied(folder),
                flat(plan),
                machine(environment),
                Files.exists(samplesFile) ? samples(samplesFile) : new Samples());
    }

    /** The second in which the chat began; 0 if unknown. */
    int chatBegin() {
        for (JsonNode phase : summary.path("phases"))
            if (phase.path("name").asString("").equals(RunRecord.CHAT))
                return phase.path("from").asInt(0);
        return 0;
    }

    private static Map<String, String> varied(Path folder) throws UnreadableRun {
        for (String matrix : MATRICES) {
            Path file = folder.resolveSibling(matrix);
            if (!Files.exists(file)) continue;
            for (JsonNode run : json(file).path("runs"))
                if (run.path("folder").asString("").equals(String.valueOf(folder.getFileName())))
                    return flat(run.path("values"));
        }
        return Map.of();
    }

    private static JsonNode json(Path file) throws UnreadableRun {
        try {
            return JsonMapper.shared().readTree(Files.readAllBytes(file));
        } catch (IOException | JacksonException broken) {
            throw new UnreadableRun(file + " cannot be read: " + broken.getMessage());
        }
    }

    private static Map<String, String> flat(JsonNode tree) {
        Map<String, String> values = new LinkedHashMap<>();
        flat("", tree, values);
        return values;
    }

    private static void flat(String path, JsonNode node, Map<String, String> values) {
        if (!node.isObject()) {
            if (!path.isEmpty()) values.put(path, node.isString() ? node.asString() : node.toString());
            return;
        }
        for (Map.Entry<String, JsonNode> field : node.properties())
            flat(path.isEmpty() ? field.getKey() : path + "." + field.getKey(), field.getValue(), values);
    }

    private static Map<String, String> machine(JsonNode environment) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String key : MACHINE) {
            JsonNode value = environment.path(key);
            if (!value.isMissingNode() && !value.isNull()) values.put(key, value.asString());
        }
        return values;
    }

    private static Samples samples(Path file) throws UnreadableRun {
        Samples samples = new Samples();
        try {
            List<List<String>> rows = Csv.read(Files.readString(file));
            List<String> header = rows.isEmpty() ? List.of() : rows.getFirst();
            for (List<String> row : rows.subList(Math.min(1, rows.size()), rows.size())) {
                int second = Integer.parseInt(row.getFirst());
                for (int i = 1; i < row.size(); i++)
                    samples.put(
                            second, header.get(i), row.get(i).isEmpty() ? Double.NaN : Double.parseDouble(row.get(i)));
            }
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException broken) {
            throw new UnreadableRun(file + " cannot be read: " + broken.getMessage());
        }
        return samples;
    }
}
