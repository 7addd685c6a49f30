package chat.load.report;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A plan as a report shows it, whatever the scenario.
 *
 * @param headline its size in one line, such as {@code 20 rooms x 50 users x 500 messages = 500,000 TEXTs}
 * @param settings for people, in the order they are shown
 * @param tree for programs: the content of {@code plan.json}; what a sweep varies must be in it
 */
public record RunPlan(String scenario, String headline, List<Setting> settings, JsonNode tree) {
    public RunPlan {
        settings = List.copyOf(settings);
    }

    public record Setting(String label, String value) {}
}
