package chat.bench.platform;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Locates the scripts of a checkout of Confab.
 *
 * @param root the directory of {@code ./run} and {@code ./load}
 */
public record Checkout(Path root) {
    private static final Path CPUINFO = Path.of("/proc/cpuinfo");

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

    /** Describes the measured commit, the day and the processors, such as {@code 1a2b3c4, 2026-11-28, 2 Intel Xeon}. */
    public String describe() throws IOException, InterruptedException {
        Process git = new ProcessBuilder("git", "-C", root.toString(), "describe", "--always", "--dirty")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String commit = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        git.waitFor();
        return (commit.isEmpty() ? "unknown commit" : commit) + ", " + LocalDate.now(ZoneOffset.UTC) + ", "
                + (Files.exists(CPUINFO)
                        ? processors(Files.readString(CPUINFO))
                        : Runtime.getRuntime().availableProcessors() + " " + System.getProperty("os.arch"));
    }

    /** Returns the number and the names of the processors from the text of {@code /proc/cpuinfo}. */
    static String processors(String cpuinfo) {
        Map<String, Long> names = cpuinfo.lines()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .collect(Collectors.groupingBy(name -> name, TreeMap::new, Collectors.counting()));
        return names.entrySet().stream()
                .map(name -> name.getValue() + " " + name.getKey())
                .collect(Collectors.joining(", "));
    }
}
