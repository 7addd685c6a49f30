package chat.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Skips tests whose program is missing and may not be installed. {@code ./test} lists such programs in the environment
 * variable {@code CONFAB_WITHOUT}, and names the skipped tests.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Installed.class)
public @interface Needs {
    /** Programs as {@code ./test} names them: rabbitmq, haproxy, nginx, postgresql, prometheus, chromium. */
    String[] value();

    /** Disables the test if one of its programs is listed as missing. */
    final class Installed implements ExecutionCondition {
        private static final List<String> MISSING =
                List.of(System.getenv().getOrDefault("CONFAB_WITHOUT", "").split(" ", -1));

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return AnnotationSupport.findAnnotation(context.getElement(), Needs.class)
                    .flatMap(needs -> List.of(needs.value()).stream()
                            .filter(MISSING::contains)
                            .findFirst())
                    .map(program -> ConditionEvaluationResult.disabled(program + " is not installed"))
                    .orElseGet(() -> ConditionEvaluationResult.enabled("installed"));
        }
    }
}
