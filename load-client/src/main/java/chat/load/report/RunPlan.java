package chat.load.report;

import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * Describes any scenario's plan for reports.
 *
 * @param headline its size in one line, such as {@code 20 rooms x 50 users x 500 messages = 500,000 TEXTs}
 * @param settings for users, in display order
 * @param tree for programs: the content of {@code plan.json}; must contain everything that a sweep varies
 */
public record RunPlan(String scenario, String headline, List<Setting> settings, JsonNode tree) {
    public RunPlan {
        settings = List.copyOf(settings);
    }

    public record Setting(String label, String value) {}
}
