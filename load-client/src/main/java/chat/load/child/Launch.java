package chat.load.child;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What to start.
 *
 * @param command the program and its arguments, without a shell
 * @param environment on top of this process's own
 * @param log where its output goes, both streams; appended to
 * @param grace how long it may take to end after SIGTERM before it is killed
 */
public record Launch(List<String> command, Map<String, String> environment, Path log, Duration grace) {
    public Launch {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty()) throw new IllegalArgumentException("a command has to name a program");
    }
}
