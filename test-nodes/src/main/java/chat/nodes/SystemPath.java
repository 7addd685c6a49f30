package chat.nodes;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Where the system's programs are. */
final class SystemPath {
    /** Where servers are: Debian has them in a directory that the PATH of an ordinary user lacks. */
    static final List<Path> SERVERS = List.of(
            Path.of("/usr/sbin"), Path.of("/usr/local/sbin"), Path.of("/usr/local/bin"), Path.of("/opt/homebrew/bin"));

    private SystemPath() {}

    /** What {@code PATH} names, in its order. */
    static Stream<Path> directories(Map<String, String> environment) {
        return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
                .filter(directory -> !directory.isBlank())
                .map(Path::of);
    }

    /** Looks in {@code PATH}, then in the usual directories. */
    static Optional<Path> find(String program, Map<String, String> environment, List<Path> usual) {
        return Stream.concat(directories(environment), usual.stream())
                .map(directory -> directory.resolve(program))
                .filter(SystemPath::isProgram)
                .findFirst();
    }

    static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }
}
