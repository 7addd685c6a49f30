package chat.load.lab.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Extends a run's {@code plan.json} by values that the load client does not know, such as the platform's settings, so
 * that reports can show what was varied.
 */
final class PlanFile {
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private PlanFile() {}

    /** Adds values whose names the plan does not have. */
    static void add(Path folder, JsonNode summary, Map<String, String> values) throws IOException {
        Path file = folder.resolve("plan.json");
        try {
            JsonNode plan = Files.exists(file) ? JSON.readTree(Files.readAllBytes(file)) : summary.path("plan");
            ObjectNode extended = plan.isObject() ? ((ObjectNode) plan).deepCopy() : JSON.createObjectNode();
            values.forEach((name, value) -> {
                if (!extended.has(name)) extended.put(name, value);
            });
            Files.write(file, JSON.writeValueAsBytes(extended));
        } catch (JacksonException broken) {
            throw new IOException(file + " cannot be read: " + broken.getOriginalMessage(), broken);
        }
    }
}
