package chat.load.plan;

import java.util.Map;

/**
 * Describes a scenario: its name, its purpose and the defaults of its options.
 *
 * @param about what happens and what it shows, for users
 * @param defaults by option without its dashes, as typed
 */
public record Scenario(String name, String about, Map<String, String> defaults) {
    public Scenario {
        defaults = Map.copyOf(defaults);
    }
}
