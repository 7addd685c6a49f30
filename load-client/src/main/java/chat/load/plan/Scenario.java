package chat.load.plan;

import java.util.Map;

/**
 * A scenario as data: a name, what it is for, and the values that its options have by themselves.
 *
 * @param about what happens, and what it shows, for people
 * @param defaults by option, without its dashes; as one types them
 */
public record Scenario(String name, String about, Map<String, String> defaults) {
    public Scenario {
        defaults = Map.copyOf(defaults);
    }
}
