package chat.load.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ResourcesTest {
    @Test
    void asManyConnectionsAsFilesBesidesItsOwnAreTaken() {
        assertThat(Resources.shortage(1_256, 1_000)).isNull();
        assertThat(Resources.shortage(1_048_576, 100_000)).isNull();
    }

    @Test
    void moreAreRefusedWithTheLimit() {
        assertThat(Resources.shortage(1_255, 1_000)).contains("1,000 connections", "1,255 in all", "ulimit -Hn");
    }
}
