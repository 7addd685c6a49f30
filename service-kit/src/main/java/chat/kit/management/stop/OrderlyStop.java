package chat.kit.management.stop;

import java.lang.reflect.Proxy;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Exits after SIGTERM with a code that reports the result of the shutdown: 0 if everything was stopped in order, the
 * code of a component that reports a problem, or 1 if stopping failed. By default a JVM exits with 143 after SIGTERM
 * regardless of its shutdown hooks, so that a supervisor cannot detect an incomplete shutdown.
 */
public final class OrderlyStop {
    private static final Logger logger = LoggerFactory.getLogger(OrderlyStop.class);
    private static final int FAILED = 1;

    private OrderlyStop() {}

    /**
     * Installs the handler: SIGTERM closes the context and exits with the highest code of the context's {@link
     * ExitCodeGenerator}s, which are called after everything is stopped, or with 1 if stopping failed. Until this call,
     * and if the JVM does not handle signals ({@code -Xrs}), SIGTERM has its default effect.
     */
    public static void onTermination(ConfigurableApplicationContext context) {
        List<ExitCodeGenerator> generators =
                context.getBeanProvider(ExitCodeGenerator.class).stream().toList();
        handle("TERM", () -> {
            int code = FAILED;
            try {
                context.close();
                code = generators.stream()
                        .mapToInt(ExitCodeGenerator::getExitCode)
                        .max()
                        .orElse(0);
            } catch (RuntimeException | Error failure) {
                logger.error("The program failed to stop in order", failure);
            } finally { // in every case: nothing else exits
                System.exit(code);
            }
        });
    }

    /**
     * Uses reflection, because the compiler warns about {@code sun.misc.Signal} and the warning cannot be suppressed.
     */
    private static void handle(String name, Runnable step) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object runsStep = Proxy.newProxyInstance(
                    OrderlyStop.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        // Not a daemon, unlike the handler's own thread: the JVM would exit with the last other thread.
                        Thread.ofPlatform().name("stop").daemon(false).start(step);
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), runsStep);
        } catch (ReflectiveOperationException leftAlone) {
            // The JVM's own handler remains: it stops in the same order and exits with 143.
        }
    }
}
