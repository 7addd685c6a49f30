package chat.kit.identity;

import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Holds the claims of a token for trials.
 *
 * @param name display name; null: none
 * @param username null: none
 * @param join patterns of rooms to read
 * @param write patterns of rooms to read and write
 */
public record Claims(
        String issuer,
        String audience,
        String userId,
        @Nullable String name,
        @Nullable String username,
        List<String> join,
        List<String> write,
        List<String> roles) {
    /** Issuer of the tokens for {@code ./run --tokens}. */
    public static final String LOCAL_ISSUER = "confab-local";
    /** Audience of those tokens. */
    public static final String LOCAL_AUDIENCE = "confab";

    private static final JsonFactory JSON = new JsonFactory();

    /** Returns claims for a platform started with {@code ./run --tokens}. */
    public static Claims local(
            String userId,
            @Nullable String name,
            @Nullable String username,
            List<String> join,
            List<String> write,
            List<String> roles) {
        return new Claims(LOCAL_ISSUER, LOCAL_AUDIENCE, userId, name, username, join, write, roles);
    }

    /** Returns the claims as a JSON object, valid from {@code now} for {@code lifetime}. */
    public String json(Instant now, Duration lifetime) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            json.writeStringProperty("iss", issuer);
            json.writeStringProperty("aud", audience);
            json.writeStringProperty("sub", userId);
            if (name != null) json.writeStringProperty("name", name);
            if (username != null) json.writeStringProperty("preferred_username", username);
            json.writeNumberProperty("iat", now.getEpochSecond());
            json.writeNumberProperty("exp", now.plus(lifetime).getEpochSecond());
            json.writeObjectPropertyStart("rooms");
            write(json, "join", join);
            write(json, "write", write);
            json.writeEndObject();
            write(json, "roles", roles);
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, String name, Collection<String> values) {
        if (values.isEmpty()) return;
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeString);
        json.writeEndArray();
    }
}
