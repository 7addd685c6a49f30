package chat.load.lab.matrix;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Describes how to start the system under test.
 *
 * @param command {@value #DIRECTORY} in it is replaced by an empty directory of the run
 * @param environment added to this process's environment
 */
public record Platform(List<String> command, Map<String, String> environment) {
    public static final String DIRECTORY = "{dir}";

    /** Of {@code ./run --servers}, which puts the consumer behind it by the offset. */
    private static final int FIRST_SERVER_PORT = 8081;

    private static final int CONSUMER_OFFSET = 9;

    public Platform {
        command = List.copyOf(command);
        environment = Map.copyOf(environment);
        if (command.isEmpty()) throw new IllegalArgumentException("a platform has to name a program");
    }

    /** Gives {@code ./run} a data directory per run, so that each run of a matrix begins with an empty database. */
    public Platform withFreshDirectory() {
        boolean confab =
                isConfab() && command.stream().noneMatch(word -> word.startsWith("--dir") || word.contains(DIRECTORY));
        if (!confab) return this;
        List<String> longer = new ArrayList<>(command);
        longer.addAll(List.of("--dir", DIRECTORY));
        return new Platform(longer, environment);
    }

    /** Whether data of earlier runs can affect later ones. */
    public boolean keepsItsData() {
        return command.stream().noneMatch(word -> word.contains(DIRECTORY));
    }

    /** Port of the consumer's REST API; empty if it is not a program of its own. */
    OptionalInt consumerPort() {
        if (!isConfab() || Words.values(command, "--servers").isEmpty()) return OptionalInt.empty();
        List<String> ports = Words.values(command, "--port");
        int first = ports.isEmpty() ? FIRST_SERVER_PORT : Integer.parseInt(ports.getLast());
        return OptionalInt.of(first + CONSUMER_OFFSET);
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
