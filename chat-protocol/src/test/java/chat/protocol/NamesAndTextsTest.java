package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks the rules for texts and names with the table that the page's tests also use. */
class NamesAndTextsTest {
    private static final JsonNode TEXTS = read();

    private static JsonNode read() {
        try {
            return JsonMapper.shared().readTree(Files.readString(Path.of("../docs/reference/schemas/texts.json")));
        } catch (java.io.IOException missing) {
            throw new java.io.UncheckedIOException(missing);
        }
    }

    @Test
    void invisibleCharactersAreThoseOfTheTable() {
        BitSet listed = new BitSet();
        for (JsonNode range : TEXTS.get("invisible"))
            listed.set(range.get(0).asInt(), range.get(1).asInt() + 1);
        BitSet invisible = new BitSet();
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++)
            if (VisibleText.isInvisible(codePoint)) invisible.set(codePoint);
        assertThat(invisible).isEqualTo(listed);
    }

    @Test
    void textWithoutVisibleCharactersIsBlank() {
        for (JsonNode text : TEXTS.get("blank"))
            assertThat(VisibleText.isBlank(text.asString())).as("%s", text).isTrue();
        for (JsonNode text : TEXTS.get("visible"))
            assertThat(VisibleText.isBlank(text.asString())).as("%s", text).isFalse();
    }

    @Test
    void displayNamesAreThoseOfTheTable() {
        JsonNode names = TEXTS.get("displayNames");
        for (JsonNode name : names.get("accepted"))
            assertThat(DisplayName.faultOf(name.asString())).as("%s", name).isNull();
        for (JsonNode refused : names.get("refused"))
            assertThat(DisplayName.faultOf(refused.get(0).asString()))
                    .as("%s", refused)
                    .contains(refused.get(1).asString());
        assertThat(DisplayName.faultOf("a\ud800")).contains("unpaired surrogate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "auth0|5f7c8ec7", "a b", "\"quoted\\\"", "urn:x/1?a=%20", "~!*'();{}"})
    void printableAsciiIsAUserId(String id) {
        assertThat(Member.isUserId(id)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " a", "a ", "a\tb", "a\u007f", "é", "a\u0000"})
    void otherTextIsNotAUserId(String id) {
        assertThat(Member.isUserId(id)).isFalse();
        assertThat(Member.isUserId("x".repeat(128))).isTrue();
        assertThat(Member.isUserId("x".repeat(129))).isFalse();
    }

    @Test
    void derivedUsernamesAreUsernamesAndDiffer() {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String name = Member.derivedUsername("user-" + i);
            assertThat(Member.isUsername(name)).as(name).isTrue();
            names.add(name);
        }
        assertThat(names).hasSize(10_000);
        // Must not change, because the history contains it.
        assertThat(Member.derivedUsername("auth0|5f7c8ec7")).isEqualTo(Member.derivedUsername("auth0|5f7c8ec7"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "65536 | 0 | 100000 | 500 | max-message-length is 0: it must be 1 to 4000",
                "65536 | 4001 | 100000 | 500 | max-message-length is 4001: it must be 1 to 4000",
                "40000 | 4000 | 100000 | 500 | max-frame-bytes is 40000: it must be 49536",
                "2000000 | 500 | 100000 | 500 | max-frame-bytes is 2000000",
                "65536 | 500 | 0 | 500 | max-user-id is 0: it must be 1 to 999999999",
                "65536 | 500 | 1000000000 | 500 | max-user-id is 1000000000",
                "65536 | 500 | 100000 | 501 | max-history is 501: it must be 0 to 500"
            })
    void rulesOutsideTheLimitsAreRejected(int frame, int text, int user, int history, String error) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FrameRules(
                        frame, text, Contract.UserIds.NUMBERS, user, Contract.Usernames.REQUIRED, history))
                .withMessageContaining(error);
    }
}
