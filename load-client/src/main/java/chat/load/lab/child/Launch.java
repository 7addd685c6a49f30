package chat.load.lab.child;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Describes a process to start.
 *
 * @param command the program and its arguments, without a shell
 * @param environment added to this process's environment
 * @param log file for both output streams; appended to
 * @param grace time between SIGTERM and a kill
 */
public record Launch(List<String> command, Map<String, String> environment, Path log, Duration grace) {
    public Launch {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty()) throw new IllegalArgumentException("a command has to name a program");
    }
}
