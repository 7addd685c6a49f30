package chat.protocol;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Collects the fields of one client object as they are in the text, and the errors in their types. */
final class FrameFields {
    @Nullable
    String messageType;

    @Nullable
    String roomId;

    @Nullable
    String userId;

    @Nullable
    String username;

    @Nullable
    String displayName;

    @Nullable
    String message;

    @Nullable
    String timestamp;

    @Nullable
    String messageId;

    @Nullable
    String resume;

    @Nullable
    String history;

    boolean stored;

    @Nullable
    String after;

    @Nullable
    String limit;

    @Nullable
    String token;

    final List<String> faults = new ArrayList<>(0);

    /** Names of fields with an unusable value: they are not reported as missing as well. */
    private final List<String> unusable = new ArrayList<>(0);

    void read(String name, JsonToken token, JsonParser parser) {
        switch (name) {
            case "messageType" -> messageType = string(name, token, parser);
            case "roomId" -> roomId = string(name, token, parser);
            case "userId" ->
                userId = token == JsonToken.VALUE_NUMBER_INT ? parser.getString() : string(name, token, parser);
            case "username" -> username = string(name, token, parser);
            case "displayName" -> displayName = string(name, token, parser);
            case "message" -> message = string(name, token, parser);
            case "timestamp" -> timestamp = string(name, token, parser);
            case "messageId" -> messageId = string(name, token, parser);
            case "resume" -> resume = string(name, token, parser);
            case "history" -> history = number(name, token, parser);
            case "stored" -> stored = flag(name, token, parser);
            case "after" ->
                after = token == JsonToken.VALUE_NUMBER_INT ? parser.getString() : string(name, token, parser);
            case "limit" -> limit = number(name, token, parser);
            case "token" -> this.token = string(name, token, parser);
            default -> parser.skipChildren();
        }
    }

    @Nullable
    String required(@Nullable String value, String name) {
        if (value == null && !isUnusable(name)) faults.add(name + " is missing");
        return value;
    }

    /** Returns whether the field was given with an unusable value, which is already reported. */
    boolean isUnusable(String name) {
        return unusable.contains(name);
    }

    private @Nullable String string(String name, JsonToken token, JsonParser parser) {
        if (token == JsonToken.VALUE_STRING) return parser.getString();
        return unusable(name, "a JSON string", token, parser);
    }

    private @Nullable String number(String name, JsonToken token, JsonParser parser) {
        if (token == JsonToken.VALUE_NUMBER_INT) return parser.getString();
        return unusable(name, "a JSON number without fraction", token, parser);
    }

    private boolean flag(String name, JsonToken token, JsonParser parser) {
        if (token == JsonToken.VALUE_TRUE) return true;
        if (token != JsonToken.VALUE_FALSE) unusable(name, "true or false", token, parser);
        return false;
    }

    private @Nullable String unusable(String name, String wanted, JsonToken token, JsonParser parser) {
        parser.skipChildren();
        unusable.add(name);
        faults.add(name + " must be " + wanted + ", not " + described(token));
        return null;
    }

    private static String described(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_NULL -> "null";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_STRING -> "a string";
            default -> "a number";
        };
    }
}
