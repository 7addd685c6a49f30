package chat.kit.management.start;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Warns at startup of environment variables that look like settings of this program but are not: a misspelt limit would
 * otherwise have no effect without any sign. Only a warning, because programs share an environment, and an older version
 * must start beside a newer one.
 */
final class UnknownVariables implements ApplicationListener<ApplicationStartedEvent> {
    private static final Logger logger = LoggerFactory.getLogger(UnknownVariables.class);
    private static final String OURS = "chat.";
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{(CHAT_[A-Z0-9_]*)");
    /** {@code CHAT_SERVER_} of {@code CHAT_SERVER_PORT}. */
    private static final Pattern GROUP = Pattern.compile("CHAT_[A-Z0-9]+_");

    @Override
    public void onApplicationEvent(ApplicationStartedEvent event) {
        ConfigurableEnvironment environment = event.getApplicationContext().getEnvironment();
        for (String variable : in(environment, environment.getSystemEnvironment()))
            logger.warn(
                    "{} has no effect: this program has no such setting. docs/reference/settings.md lists all.",
                    variable);
    }

    /** @param variables environment variables of the process */
    static Set<String> in(ConfigurableEnvironment environment, Map<String, ?> variables) {
        Set<String> known = known(environment);
        Set<String> unknown = new TreeSet<>();
        for (String variable : variables.keySet()) {
            Matcher group = GROUP.matcher(variable);
            // Variables of other groups belong to other programs.
            if (group.lookingAt()
                    && !known.contains(variable)
                    && known.stream().anyMatch(name -> name.startsWith(group.group()))) unknown.add(variable);
        }
        return unknown;
    }

    /** Returns the variables that the programs' YAML names, and those that Spring Boot derives from its settings. */
    private static Set<String> known(ConfigurableEnvironment environment) {
        Set<String> known = new TreeSet<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (!(source instanceof EnumerablePropertySource<?> file)) continue;
            for (String name : file.getPropertyNames()) {
                Matcher variable = VARIABLE.matcher(String.valueOf(file.getProperty(name)));
                while (variable.find()) known.add(variable.group(1));
                if (!name.startsWith(OURS)) continue;
                String upper = name.replace('.', '_').toUpperCase(Locale.ROOT);
                known.add(upper.replace("-", ""));
                known.add(upper.replace('-', '_'));
            }
        }
        return known;
    }
}
