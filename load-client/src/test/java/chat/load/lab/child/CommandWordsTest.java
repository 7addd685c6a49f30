package chat.load.lab.child;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandWordsTest {
    @Test
    void blanksSeparate() {
        assertThat(CommandWords.split("  ./run  --servers 2\t--dir {dir} "))
                .containsExactly("./run", "--servers", "2", "--dir", "{dir}");
    }

    @Test
    void quotesHoldTogether() {
        assertThat(CommandWords.split("sh -c 'a \"b\" \\c' \"it's \\\"so\\\" \\n\" '' x' 'y \\ z"))
                .containsExactly("sh", "-c", "a \"b\" \\c", "it's \"so\" \\n", "", "x y", " z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "   ", "'open", "a \"b"})
    void nonsenseIsRefused(String command) {
        assertThatThrownBy(() -> CommandWords.split(command)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void joinedWordsSplitIntoTheSameWords() {
        List<String> words = List.of("a", "", "b c", "it's", "\"q\"", "$x", "back\\slash", "{dir}/x=1", "ä");
        assertThat(CommandWords.split(CommandWords.join(words))).isEqualTo(words);
        assertThat(CommandWords.join(words)).startsWith("a '' 'b c' 'it'\\''s'").endsWith(" {dir}/x=1 'ä'");
    }
}
