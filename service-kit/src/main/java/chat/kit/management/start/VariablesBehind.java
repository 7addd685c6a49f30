package chat.kit.management.start;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/** Finds the environment variables that are set and that the programs' YAML uses for a setting. */
final class VariablesBehind {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z][A-Z0-9_]*)");

    private VariablesBehind() {}

    /** Returns only names, because a value may be a password. */
    static Set<String> setting(String setting, Environment environment) {
        Set<String> variables = new TreeSet<>();
        if (!(environment instanceof ConfigurableEnvironment all)) return variables;
        for (PropertySource<?> source : all.getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> file)) continue;
            for (String name : file.getPropertyNames()) {
                if (!name.equals(setting) && !name.startsWith(setting + ".")) continue;
                Matcher variable = VARIABLE.matcher(String.valueOf(file.getProperty(name)));
                while (variable.find())
                    if (all.getProperty(variable.group(1)) != null) variables.add(variable.group(1));
            }
        }
        return variables;
    }
}
