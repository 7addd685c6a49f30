package chat.nodes;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Where HAProxy is on this machine. */
final class HaproxyInstallation {
    static final String ADVICE = "Debian, Ubuntu: apt-get install haproxy; macOS: brew install haproxy; else see"
            + " https://www.haproxy.org; or set CONFAB_HAPROXY to the program";

    private static final String PROGRAM = "CONFAB_HAPROXY";

    /** Debian's is in a directory that the PATH of an ordinary user lacks. */
    private static final List<Path> USUAL = List.of(
            Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/usr/local/bin"), Path.of("/opt/homebrew/bin"));

    private HaproxyInstallation() {}

    static Optional<Path> find() {
        return Processes.onWindows() ? Optional.empty() : find(System.getenv(), USUAL);
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
            if (!isProgram(program)) {
                throw new NodeException(PROGRAM + " is " + named + ", and no program is there");
            }
            return Optional.of(program);
        }
        List<Path> places = new ArrayList<>();
        Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isBlank())
                .map(Path::of)
                .forEach(places::add);
        places.addAll(usual);
        return places.stream()
                .map(directory -> directory.resolve("haproxy"))
                .filter(HaproxyInstallation::isProgram)
                .findFirst();
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
