package chat.kit.management.stop;

import java.lang.reflect.Proxy;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Ends a program by SIGTERM with an exit code that says how it went: 0 where everything was stopped in order, else what
 * those say who know better, or 1 where stopping itself failed. By itself a JVM ends with 143 after a SIGTERM, whatever its
 * shutdown hooks did, so nobody who restarts many programs could tell one that was cut off from one that was done.
 */
public final class OrderlyStop {
    private static final Logger logger = LoggerFactory.getLogger(OrderlyStop.class);
    private static final int FAILED = 1;

    private OrderlyStop() {}

    /**
     * From now on SIGTERM closes the context and ends the program with the highest exit code of the context's
     * {@link ExitCodeGenerator}s, which are asked when everything has been stopped, or with 1 where that failed. Before,
     * while the program starts, and where the JVM leaves signals alone ({@code -Xrs}), a SIGTERM ends it as ever.
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
                logger.error("the program did not stop in order", failure);
            } finally { // whatever went wrong: nothing else ends the program
                System.exit(code);
            }
        });
    }

    /** By reflection: the compiler warns of {@code sun.misc.Signal}, which has no other name, and can't be told not to. */
    private static void handle(String name, Runnable step) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object runsStep = Proxy.newProxyInstance(
                    OrderlyStop.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        // No daemon, as the handler's own thread is: with the last other thread the JVM would end.
                        Thread.ofPlatform().name("stop").daemon(false).start(step);
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), runsStep);
        } catch (ReflectiveOperationException leftAlone) {
            // The JVM's own handler stays: it stops in the same order and ends with 143.
        }
    }
}
