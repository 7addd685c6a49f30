package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Compares answers with what {@code openapi.json} says of them: as much of JSON Schema as it uses. */
final class Schema {
    private final JsonNode document;

    Schema(JsonNode document) {
        this.document = document;
    }

    /** @param path template of an endpoint */
    void assertDescribes(String path, JsonNode answer) {
        JsonNode schema = document.path("paths")
                .path(path)
                .path("get")
                .path("responses")
                .path("200")
                .path("content")
                .path("application/json")
                .path("schema");
        check(path, schema, answer);
        assertThat(unknown(schema, answer))
                .as("what is not described at " + path)
                .isEmpty();
    }

    private JsonNode resolved(JsonNode schema) {
        return schema.has("$ref")
                ? document.at(schema.path("$ref").stringValue().substring(1))
                : schema;
    }

    private void check(String where, JsonNode reference, JsonNode value) {
        JsonNode schema = resolved(reference);
        if (schema.has("oneOf")) {
            if (!value.isNull()) check(where, schema.path("oneOf").get(0), value);
            return;
        }
        for (JsonNode part : schema.path("allOf")) check(where, part, value);
        JsonNode type = schema.path("type");
        if (type.isArray()) {
            if (value.isNull()) return;
            type = type.get(0);
        }
        if (type.isString())
            assertThat(isOf(type.stringValue(), value))
                    .as(where + " is " + value)
                    .isTrue();
        for (JsonNode name : schema.path("required"))
            assertThat(value.has(name.stringValue()))
                    .as(where + "." + name.stringValue())
                    .isTrue();
        schema.path("properties").properties().forEach(property -> {
            if (value.has(property.getKey()))
                check(where + "." + property.getKey(), property.getValue(), value.path(property.getKey()));
        });
        if (schema.has("items")) for (JsonNode item : value) check(where + "[]", schema.path("items"), item);
    }

    private static boolean isOf(String type, JsonNode value) {
        return switch (type) {
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            default -> throw new IllegalArgumentException(type);
        };
    }

    /** Names in the answer that the schema of the whole does not have. */
    private List<String> unknown(JsonNode reference, JsonNode answer) {
        List<String> known = new ArrayList<>();
        collect(resolved(reference), known);
        return answer.propertyStream()
                .map(Map.Entry::getKey)
                .filter(name -> !known.contains(name))
                .toList();
    }

    private void collect(JsonNode schema, List<String> names) {
        for (JsonNode part : schema.path("allOf")) collect(resolved(part), names);
        names.addAll(schema.path("properties").propertyNames());
    }
}
