package chat.load.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Describes where a run took place: the content of {@code environment.json}.
 *
 * @param startedAt ISO-8601
 * @param sharesMachine whether a server runs on this machine, so that figures include the generator's share
 * @param version of Confab; null if the load client was started from classes
 * @param commit of the repository that contains the load client, with {@code -dirty} if it has changes; null outside
 *     a repository
 * @param commandLine as typed, without passwords
 * @param cores available to this JVM
 * @param cpu its model; null if the system does not report it
 * @param memoryBytes of the machine or container
 */
public record Environment(
        String startedAt,
        boolean sharesMachine,
        @Nullable String version,
        @Nullable String commit,
        String commandLine,
        int cores,
        @Nullable String cpu,
        long memoryBytes,
        String os,
        String kernel,
        String jdk) {
    private static final int GIT_SECONDS = 5;

    /** @param version of Confab, null if unknown */
    public static Environment here(
            Instant startedAt, boolean sharesMachine, @Nullable String version, List<String> arguments) {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Environment(
                startedAt.truncatedTo(ChronoUnit.SECONDS).toString(),
                sharesMachine,
                version,
                commit(builtIn()),
                commandLine(arguments),
                Runtime.getRuntime().availableProcessors(),
                cpu(lines(Path.of("/proc/cpuinfo"))),
                system.getTotalMemorySize(),
                os(lines(Path.of("/etc/os-release"))),
                system.getName() + " " + system.getVersion() + " " + system.getArch(),
                Runtime.version() + " (" + System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor")
                        + ")");
    }

    static String commandLine(List<String> arguments) {
        StringBuilder line = new StringBuilder("load");
        for (String argument : arguments) {
            String told = argument.replaceAll("(://[^/@:\\s]*):[^/@\\s]*@", "$1:***@")
                    .replaceAll("(?i)(password=)[^&\\s]*", "$1***");
            boolean plain = told.matches("[\\w./:=,@%+-]+");
            line.append(' ').append(plain ? told : "'" + told.replace("'", "'\\''") + "'");
        }
        return line.toString();
    }

    static @Nullable String cpu(List<String> cpuinfo) {
        return cpuinfo.stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(null);
    }

    static String os(List<String> release) {
        return release.stream()
                .filter(line -> line.startsWith("PRETTY_NAME="))
                .map(line -> line.substring("PRETTY_NAME=".length()).replace("\"", ""))
                .findFirst()
                .orElse(System.getProperty("os.name"));
    }

    private static List<String> lines(Path file) {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.toList();
        } catch (IOException | RuntimeException notThisSystem) {
            return List.of();
        }
    }

    /** The folder of the jar or classes: the working directory can be anywhere. */
    private static Path builtIn() {
        String first = System.getProperty("java.class.path").split(java.io.File.pathSeparator, 2)[0];
        Path path = Path.of(first).toAbsolutePath();
        return Files.isDirectory(path) || path.getParent() == null ? path : path.getParent();
    }

    /** Runs git, which handles worktrees, packed references and uncommitted changes. */
    static @Nullable String commit(Path folder) {
        try {
            Process git = new ProcessBuilder(
                            "git",
                            "-C",
                            folder.toString(),
                            "describe",
                            "--always",
                            "--dirty",
                            "--abbrev=40",
                            "--exclude=*")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // One line fits into the pipe, so git can end before it is read.
            if (!git.waitFor(GIT_SECONDS, TimeUnit.SECONDS)) {
                git.destroyForcibly();
                return null;
            }
            String answer = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.exitValue() == 0 && !answer.isEmpty() ? answer : null;
        } catch (IOException noGit) {
            return null;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
