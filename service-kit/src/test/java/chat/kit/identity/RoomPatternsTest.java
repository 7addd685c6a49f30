package chat.kit.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import chat.protocol.RoomId;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoomPatternsTest {
    @ParameterizedTest
    @CsvSource({
        "lobby, lobby, true",
        "lobby, lobby2, false",
        "lobby, lobb, false",
        "lobby, Lobby, false",
        "team-*, team-, true",
        "team-*, team-a, true",
        "team-*, team, false",
        "team-*, my-team-a, false",
        "*, anything, true"
    })
    void patternIsANameOrAPrefix(String pattern, String room, boolean matches) {
        assertThat(RoomPatterns.of(List.of(pattern)).match(new RoomId(room))).isEqualTo(matches);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a*b", "**", "*a", "a b", "room.1", "ä", "team-?"})
    void invalidPatternIsRejected(String pattern) {
        assertThatIllegalArgumentException().isThrownBy(() -> RoomPatterns.of(List.of(pattern)));
    }

    @Test
    void noPatternsMatchNothing() {
        assertThat(RoomPatterns.NONE.match(new RoomId("lobby"))).isFalse();
    }

    @Test
    void numberOfPatternsIsLimited() {
        List<String> most = Collections.nCopies(RoomPatterns.MAX, "a");
        assertThat(RoomPatterns.of(most).match(new RoomId("a"))).isTrue();
        List<String> tooMany = Collections.nCopies(RoomPatterns.MAX + 1, "a");
        assertThatIllegalArgumentException().isThrownBy(() -> RoomPatterns.of(tooMany));
    }

    @Test
    void writeRightIncludesReadRightButNotViceVersa() {
        RoomRights rights = new RoomRights(
                RoomPatterns.of(List.of("public")),
                RoomPatterns.of(List.of("news")),
                RoomPatterns.of(List.of("team-*")));
        assertThat(rights.mayJoin(new RoomId("news"))).isTrue();
        assertThat(rights.mayWrite(new RoomId("news"))).isFalse();
        assertThat(rights.mayJoin(new RoomId("team-a"))).isTrue();
        assertThat(rights.mayWrite(new RoomId("team-a"))).isTrue();
        assertThat(rights.mayWrite(new RoomId("public"))).isTrue();
        assertThat(rights.mayJoin(new RoomId("other"))).isFalse();
    }
}
