package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorePropertiesTest {
    @ParameterizedTest
    @CsvSource({
        "keep, 30, 30",
        "keep, -1, 30",
        "keep, 36501, 30",
        "keep-dead-letters, 0, 0",
        "keep-dead-letters, 0, 3651"
    })
    void valueOutOfBoundsIsRejectedWithTheNameOfTheSetting(String name, int keep, int letters) {
        assertThatThrownBy(() -> new StoreProperties(keep, letters))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chat.store." + name);
    }

    @Test
    void boundsAreAccepted() {
        assertThat(new StoreProperties(31, 1).keep()).isEqualTo(31);
        assertThat(new StoreProperties(36_500, 3_650).keep()).isEqualTo(36_500);
    }
}
