package chat.kit.management.start;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.env.Environment;

/** Reports in one sentence why the web server cannot start, instead of Spring Boot's stack trace. */
final class WebServerFailureAnalyzer extends AbstractFailureAnalyzer<WebServerException> {
    private final Environment environment;

    WebServerFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, WebServerException failure) {
        if (failure instanceof PortInUseException) return null; // Spring Boot's own report is good
        Throwable cause = failure;
        while (cause.getCause() != null) cause = cause.getCause();
        Set<String> variables = VariablesBehind.setting("server", environment);
        variables.addAll(VariablesBehind.setting("management", environment));
        return new FailureAnalysis(
                "The web server cannot start: " + cause.getMessage(),
                "Give addresses of this machine and free ports, 1 to 65535, as server.* and management.server.*"
                        + (variables.isEmpty() ? "." : "; these are set by " + String.join(", ", variables) + "."),
                failure);
    }
}
