package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresBinariesTest {
    @Test
    void cacheIsInTheSystemsCacheDirectory() {
        assertThat(PostgresBinaries.userCache(Map.of(), "/home/a", "linux"))
                .isEqualTo(Path.of("/home/a/.cache/confab"));
        assertThat(PostgresBinaries.userCache(Map.of(), "/Users/a", "darwin"))
                .isEqualTo(Path.of("/Users/a/Library/Caches/confab"));
        assertThat(PostgresBinaries.userCache(Map.of("LOCALAPPDATA", "/local"), "/a", "windows"))
                .isEqualTo(Path.of("/local/confab/cache"));
        assertThat(PostgresBinaries.userCache(Map.of("XDG_CACHE_HOME", "/cache"), "/home/a", "linux"))
                .isEqualTo(Path.of("/cache/confab"));
    }
}
