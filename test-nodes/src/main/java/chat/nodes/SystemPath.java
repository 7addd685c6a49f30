package chat.nodes;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the system's programs. */
public final class SystemPath {
    /** Directories of servers: Debian's is not on the PATH of an ordinary user. */
    static final List<Path> SERVERS = List.of(
            Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/usr/local/bin"), Path.of("/opt/homebrew/bin"));

    private SystemPath() {}

    /** Returns the directories in {@code PATH}, in order. */
    static Stream<Path> directories(Map<String, String> environment) {
        return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isBlank())
                .map(Path::of);
    }

    /** Searches {@code PATH}, then the usual directories. */
    static Optional<Path> find(String program, Map<String, String> environment, List<Path> usual) {
        return Stream.concat(directories(environment), usual.stream())
                .map(directory -> directory.resolve(program))
                .filter(SystemPath::isProgram)
                .findFirst();
    }

    /** Whether a server program is installed, in {@code PATH} or in one of {@link #SERVERS}. */
    public static boolean isInstalled(String program) {
        return find(program, System.getenv(), SERVERS).isPresent();
    }

    static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
