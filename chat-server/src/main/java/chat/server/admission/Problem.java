package chat.server.admission;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Encodes the reason for a rejection as {@code application/problem+json}. */
final class Problem {
    /** Escapes non-ASCII characters: details may quote arbitrary bytes of headers. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Problem() {}

    static byte[] of(HttpStatus status, String reason, @Nullable String detail) {
        ObjectNode problem = JSON.createObjectNode()
                .put("title", status.getReasonPhrase())
                .put("status", status.value())
                .put("reason", reason);
        if (detail != null) problem.put("detail", detail);
        return JSON.writeValueAsBytes(problem);
    }

    /** Returns the text as a JSON string. */
    static String quoted(String text) {
        return JSON.writeValueAsString(text);
    }
}
