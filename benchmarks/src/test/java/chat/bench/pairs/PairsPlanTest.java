package chat.bench.pairs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.plan.Placement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PairsPlanTest {
    @Test
    void defaultIsFivePairsAfterThreeWarmUps() {
        assertThat(PairsPlan.parse(List.of("4", "spread")))
                .isEqualTo(new PairsPlan(4, Placement.SPREAD, 5, 3, Map.of()));
    }

    @Test
    void pairsWarmUpsAndVariablesFollowThePlacement() {
        PairsPlan plan = PairsPlan.parse(
                List.of("2", "partition", "3", "0", "CHAT_SERVER_KEPT_PARTITIONS=", "JDK_JAVA_OPTIONS=-Xmx1g -Da=b"));
        assertThat(plan)
                .isEqualTo(new PairsPlan(
                        2,
                        Placement.PARTITION,
                        3,
                        0,
                        Map.of("CHAT_SERVER_KEPT_PARTITIONS", "", "JDK_JAVA_OPTIONS", "-Xmx1g -Da=b")));
        assertThat(plan.placementOption()).isEqualTo("partition");
        assertThat(PairsPlan.parse(List.of("2", "partition", "7", "A=1")).pairs())
                .isEqualTo(7);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
                    4;                        SERVERS and PLACEMENT are required, such as: 4 partition
                    0 spread;                 SERVERS must be a whole number from 1 to 16, not 0
                    17 spread;                SERVERS must be a whole number from 1 to 16, not 17
                    x spread;                 SERVERS must be a whole number from 1 to 16, not x
                    4 room;                   PLACEMENT must be partition or spread, not room
                    4 spread 0;               PAIRS must be a whole number from 1 to 1000, not 0
                    4 spread -1;              PAIRS must be a whole number from 1 to 1000, not -1
                    4 spread 3 3x;            WARM_UPS must be a whole number from 0 to 1000, not 3x
                    4 spread 3 6 9;           9 is not of the form VARIABLE=VALUE
                    4 spread A=1 9;           9 is not of the form VARIABLE=VALUE
                    4 spread linger=5ms;      linger=5ms is not of the form VARIABLE=VALUE
                    """)
    void wrongWordsAreRejected(String words, String message) {
        assertThatThrownBy(() -> PairsPlan.parse(List.of(words.split(" ", -1)))).hasMessage(message);
    }
}
