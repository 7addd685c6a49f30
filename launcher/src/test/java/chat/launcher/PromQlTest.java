package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PromQlTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            up{job="chat-server"} == 0                                                | up
            sum by (instance, le) (rate(chat_log_confirm_seconds_bucket[5m]))         | chat_log_confirm_seconds_bucket
            histogram_quantile(0.99, sum by(le) (rate(a_bucket{b="c d"}[$__rate_interval]))) | a_bucket
            a / on (instance) group_left (x) b_total > 0.85 and c offset 5m           | a b_total c
            platform:messages:rate2m > 6 * 3600 or vector(0)                          | platform:messages:rate2m
            label_replace(up, "a", "up_{b}", "c", "(.*)") + 1e3                       | up
            max_over_time(persistence_breaker{state="OPEN"}[1m:15s]) unless ignoring (z) q | persistence_breaker q
            """)
    void onlyMetricsAreLeft(String expression, String metrics) {
        assertThat(PromQl.metrics(expression)).containsExactlyInAnyOrder(metrics.split(" "));
    }
}
