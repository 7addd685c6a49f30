package chat.load.matrix;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How to start what is loaded.
 *
 * @param command {@value #DIRECTORY} in it becomes a directory of the run's own, which is empty and stays so until then
 * @param environment on top of ours
 */
public record Platform(List<String> command, Map<String, String> environment) {
    public static final String DIRECTORY = "{dir}";

    public Platform {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty()) throw new IllegalArgumentException("a platform has to name a program");
    }

    /** Confab's own {@code ./run} keeps what it has stored; each run of a matrix is to begin with nothing. */
    public Platform withFreshDirectory() {
        boolean confab =
                isConfab() && command.stream().noneMatch(word -> word.startsWith("--dir") || word.contains(DIRECTORY));
        if (!confab) return this;
        List<String> longer = new ArrayList<>(command);
        longer.addAll(List.of("--dir", DIRECTORY));
        return new Platform(longer, environment);
    }

    /** Whether runs can disturb each other by what they leave. */
    public boolean keepsItsData() {
        return command.stream().noneMatch(word -> word.contains(DIRECTORY));
    }

    /** Whether the consumer is a program of its own, that has to be ready, too. */
    public boolean hasConsumer() {
        return isConfab() && command.stream().anyMatch(word -> word.startsWith("--servers"));
    }

    private boolean isConfab() {
        Path program = Path.of(command.getFirst()).getFileName();
        return program != null && program.toString().equals("run");
    }

    List<String> commandIn(Path directory) {
        return command.stream()
                .map(word -> word.replace(DIRECTORY, directory.toString()))
                .toList();
    }
}
