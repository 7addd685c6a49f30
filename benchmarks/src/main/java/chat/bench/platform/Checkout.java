package chat.bench.platform;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Locates the scripts of a checkout of Confab.
 *
 * @param root the directory of {@code ./run} and {@code ./load}
 */
public record Checkout(Path root) {
    public Checkout {
        root = root.toAbsolutePath().normalize();
    }

    /** Returns the checkout in which this program was built. */
    public static Checkout own() {
        try {
            // benchmarks/target/benchmarks.jar, or benchmarks/target/classes in a test
            Path program = Path.of(Checkout.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return new Checkout(program.resolve("../../.."));
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Whether the directory has the script that starts platforms. */
    public boolean isComplete() {
        return Files.isRegularFile(root.resolve("run"));
    }

    String script(String name) {
        return root.resolve(name).toString();
    }
}
