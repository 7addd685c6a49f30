package chat.load.report;

import chat.load.check.Verdict;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** Runs with next to nothing in them. */
final class Records {
    private Records() {}

    static RunRecord with(Samples samples, RunRecord.Phase... phases) {
        return new RunRecord(
                "r1",
                new RunPlan("fanout", "nothing", List.of(), JsonMapper.shared().createObjectNode()),
                List.of("ws://localhost:8082/chat"),
                new Environment(
                        "2026-11-21T00:00:00Z", false, null, null, "load fanout", 1, null, 1, "os", "kernel", "jdk"),
                new Verdict(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of()),
                new Summary.Seconds(0, 0, 0, 0),
                new Summary.Counts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                Map.of(),
                samples,
                List.of(phases),
                new Throughput(0, 0, new TenSecondCounts(), 0),
                List.of(),
                Map.of(),
                List.of(),
                null,
                new RunRecord.PlatformMetrics.None("it was not asked"));
    }
}
