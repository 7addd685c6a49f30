package chat.kit.management.start;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.env.Environment;

/**
 * Reports which setting is wrong, what is accepted, and which environment variables set it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE) // before Spring Boot's own, which does not know the environment variables
final class SettingFailureAnalyzer implements FailureAnalyzer {
    private final Environment environment;

    SettingFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        Throwable cause = failure;
        while (cause != null) {
            if (cause instanceof BindException unbound)
                return analysis(unbound.getName().toString(), reason(unbound), failure);
            if (cause instanceof InvalidConfigurationPropertyValueException invalid)
                return analysis(invalid.getName(), invalid.getReason(), failure);
            cause = cause.getCause();
        }
        return null;
    }

    private static @Nullable String reason(BindException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
            if (root instanceof ConversionFailedException conversion)
                return "Failed to convert to type "
                        + conversion.getTargetType().getObjectType().getName();
        }
        return root.getMessage();
    }

    private FailureAnalysis analysis(String setting, @Nullable String reason, Throwable failure) {
        Set<String> variables = VariablesBehind.setting(setting, environment);
        return new FailureAnalysis(
                "The setting " + setting + " is wrong: " + reason,
                variables.isEmpty()
                        ? "Change the setting."
                        : "Change the setting, or what sets it: " + String.join(", ", variables) + ".",
                failure);
    }
}
