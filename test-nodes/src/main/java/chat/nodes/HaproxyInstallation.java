package chat.nodes;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where HAProxy is on this machine. */
final class HaproxyInstallation {
    static final String ADVICE = "Install it (Debian, Ubuntu: apt-get install haproxy; macOS: brew install"
            + " haproxy; else see https://www.haproxy.org), or set CONFAB_HAPROXY to the program.";

    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)");
    /** The first that can balance by a hash of anything: 2.6. */
    private static final int OLDEST = 2_006;

    private static final String PROGRAM = "CONFAB_HAPROXY";

    private HaproxyInstallation() {}

    static Optional<Path> find() {
        return Processes.onWindows() ? Optional.empty() : find(System.getenv(), SystemPath.SERVERS);
    }

    /**
     * Looks at {@code CONFAB_HAPROXY} only, if it is set, else in {@code PATH} and the usual directories.
     *
     * @throws NodeException there is no program where {@code CONFAB_HAPROXY} says
     */
    static Optional<Path> find(Map<String, String> environment, List<Path> usual) {
        String named = environment.getOrDefault(PROGRAM, "");
        if (!named.isBlank()) {
            Path program = Path.of(named);
            if (!SystemPath.isProgram(program)) {
                throw new NodeException(PROGRAM + " is " + named + ", and no program is there");
            }
            return Optional.of(program);
        }
        return SystemPath.find("haproxy", environment, usual);
    }

    /** Why this program will not do, for people; empty if it will. */
    static Optional<String> tooOld(Path program) {
        String told = Command.run(TIMEOUT, List.of(program.toString(), "-v")).output();
        Matcher version = VERSION.matcher(told);
        if (!version.find()) {
            throw new NodeException(program + " is no HAProxy. It printed: " + told);
        }
        int number = Integer.parseInt(version.group(1)) * 1_000 + Integer.parseInt(version.group(2));
        return number >= OLDEST
                ? Optional.empty()
                : Optional.of(program + " is HAProxy " + version.group(1) + "." + version.group(2)
                        + ", and 2.6 or later is needed. " + ADVICE);
    }
}
