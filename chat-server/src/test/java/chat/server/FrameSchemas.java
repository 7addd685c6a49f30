package chat.server;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The schemas of docs/reference/schemas, which client authors have. Published they are open, since version 1 may gain fields; here a
 * field that they do not name is a fault.
 */
final class FrameSchemas {
    private static final Path FOLDER = Path.of("..", "docs", "reference", "schemas");
    private static final Schema CLIENT = strict("client-frames.json");
    private static final Schema SERVER = strict("server-frames.json");

    private FrameSchemas() {}

    private static Schema strict(String file) {
        JsonNode schema = JsonMapper.shared().readTree(FOLDER.resolve(file).toFile());
        close(schema);
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema);
    }

    private static void close(JsonNode schema) {
        if (schema instanceof ObjectNode object
                && object.path("type").isString()
                && object.path("type").asString().equals("object")) object.put("additionalProperties", false);
        schema.forEach(FrameSchemas::close);
    }

    /** Returns the schema violations of a client frame. */
    static List<Error> faultsOfClientFrame(JsonNode frame) {
        return CLIENT.validate(frame);
    }

    /** Returns the schema violations of a server frame. */
    static List<Error> faultsOfServerFrame(JsonNode frame) {
        return SERVER.validate(frame);
    }

    static void checkServerFrame(JsonNode frame) {
        List<Error> faults = faultsOfServerFrame(frame);
        if (!faults.isEmpty()) throw new AssertionError(frame + " does not fit docs/reference/schemas: " + faults);
    }
}
