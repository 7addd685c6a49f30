package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class SummaryTableTest {
    @Test
    void tableHasEveryFigureOfTheContract() {
        assertThat(SummaryTable.of(new SyntheticRun(30, 1000, 1).record()).lines())
                .contains(
                        "messages     32,000  successful 31,999  failed 1  in 40.00 s: 800/s",
                        "connections  1,000 opened  0 reconnections  3 failed  0 gaps",
                        "warm-up      1 round  32 connections  32,000 of 32,000 accepted in 11.20 s  2,857/s, in none of the figures below",
                        "platform     http://localhost:8090/api/metrics")
                .anyMatch(line -> line.contains("TEXT 30,000 (93.8 %)") && line.contains("LEAVE 1,000 (3.1 %)"))
                .anyMatch(line -> line.matches("latency, ms +count +mean +min +p50 +p95 +p99 +p99.9 +max"))
                .anyMatch(line -> line.matches("frame to ACK +200,000( +[0-9.]+){7}"))
                .anyMatch(line -> line.matches("20 rooms: [0-9.]+ to [0-9.]+ accepted/s each, mean [0-9.]+"))
                .anyMatch(line -> line.contains("core.roomTimeline: room k3f9q2-7  rows 1,000  millis 8.10"))
                .anyMatch(line -> line.matches("Little's law: 7.0 in flight measured, .* ratio 1.\\d\\d"));
    }

    @Test
    void eachRoomHasItsThroughputUnlessThereAreMany() {
        assertThat(SummaryTable.of(new SyntheticRun(30, 1000, 1).record()).lines())
                .filteredOn(line -> line.matches("( +\\d+ +[0-9.]+){5}"))
                .hasSize(4)
                .first()
                .asString()
                .matches(" +0 .* 1 .* 2 .* 3 .* 4 .*");
    }

    @Test
    void metricsAreOneShortLinePerResult() {
        String json = """
                {"asOf":1795952703288,"totals":{"asOf":7,"messages":1234567,"views":[]},
                 "core":{"room":{"messages":[{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}]},"user":null,"activeUsers":{"from":1,"to":2,"activeUsers":9}},
                 "analytics":{"topRooms":{"rooms":[{"roomId":"1","messages":2500,"last":1795952703288},{"roomId":"2","messages":1},
                   {"roomId":"3","messages":1},{"roomId":"4","messages":1}]},
                  "participation":{"hoursOfWeek":[[0,1],[2,3]],"most":7}},"cache":{"hitRatio":0.25}}""";
        assertThat(MetricsText.lines(JsonMapper.shared().readTree(json), 50))
                .isEqualTo(List.of(
                        "totals: messages 1,234,567  views 0 []",
                        "core.room: messages 1",
                        "core.activeUsers: activeUsers 9",
                        "analytics.topRooms: rooms 4 [1 2,500, 2 1, 3 1, …]",
                        "analytics.participation: most 7",
                        "cache: hitRatio 0.25"));
        assertThat(MetricsText.lines(JsonMapper.shared().readTree(json), 20)).contains("core.activeUsers: a…");
    }
}
