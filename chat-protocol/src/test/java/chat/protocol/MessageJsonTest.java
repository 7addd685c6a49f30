package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageJsonTest {

    @Test
    void encodedMessageIsDecoded() {
        ChatMessage message = new ChatMessage(
                new UUID(1, 2),
                new Member("7", "anna"),
                MessageType.TEXT,
                "\"<\\\n\u00e9\ud83d\ude00",
                1_763_632_800_123L);
        assertThat(MessageJson.decode(MessageJson.encode(message))).isEqualTo(message);
    }

    @Test
    void displayNameAndUserIdAreEscaped() {
        ChatMessage message = new ChatMessage(
                new UUID(1, 2), new Member("a\"\\b", "anna", "Zo\u00eb \"\\"), MessageType.JOIN, null, 5);
        byte[] json = MessageJson.encode(message);
        assertThat(new String(json, StandardCharsets.UTF_8))
                .endsWith("\"userId\":\"a\\\"\\\\b\",\"username\":\"anna\",\"timestamp\":5,"
                        + "\"displayName\":\"Zo\u00eb \\\"\\\\\"}");
        assertThat(MessageJson.decode(json)).isEqualTo(message);
    }

    /** Readers of the log must be able to set such a message aside, regardless of its error. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{",
                "{}",
                "{\"messageType\":[1]}",
                "{\"messageType\":[]}",
                "{\"username\":{\"a\":1}}",
                "{\"messageType\":null}",
                "{\"timestamp\":\"now\"}",
                "{\"timestamp\":99999999999999999999}",
                "{\"timestamp\":[[1]]}"
            })
    void otherInputIsRejected(String json) {
        assertThatThrownBy(() -> MessageJson.decode(json.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
