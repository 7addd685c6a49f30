package chat.nodes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds HAProxy on this machine. */
final class HaproxyInstallation {
    static final String ADVICE = "Install it (Debian, Ubuntu: apt-get install haproxy; macOS: brew install"
            + " haproxy; else see https://www.haproxy.org), or set CONFAB_HAPROXY to the program.";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
    /** Minimum minor version: 2.6 is the first that can balance by a hash of any expression. */
    private static final int OLDEST = 2_006;

    private static final String PROGRAM = "CONFAB_HAPROXY";

    private HaproxyInstallation() {}

    static Optional<Path> find() {
        return Processes.onWindows() ? Optional.empty() : find(System.getenv(), SystemPath.SERVERS);
    }

    /**
     * Searches only {@code CONFAB_HAPROXY} if it is set, else {@code PATH} and the usual directories.
     *
     * @throws NodeException if {@code CONFAB_HAPROXY} is not a program
     */
    static Optional<Path> find(Map<String, String> environment, List<Path> usual) {
        String named = environment.getOrDefault(PROGRAM, "");
        if (!named.isBlank()) {
            Path program = Path.of(named);
            if (!SystemPath.isProgram(program)) {
                throw new NodeException(PROGRAM + " is " + named + ", but there is no program");
            }
            return Optional.of(program);
        }
        return SystemPath.find("haproxy", environment, usual);
    }

    /** Returns why this program cannot be used, for people; empty if it can. */
    static Optional<String> tooOld(Path program) {
        String printed = Command.run(TIMEOUT, List.of(program.toString(), "-v")).output();
        Matcher version = VERSION.matcher(printed);
        if (!version.find()) {
            throw new NodeException(program + " is not HAProxy. It printed: " + printed);
        }
        int number = Integer.parseInt(version.group(1)) * 1_000 + Integer.parseInt(version.group(2));
        return number >= OLDEST
                ? Optional.empty()
                : Optional.of(program + " is HAProxy " + version.group(1) + "." + version.group(2)
                        + ", and 2.6 or later is needed. " + ADVICE);
    }
}
