package chat.load.lab.matrix;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Describes one point of a matrix: everything its repeats have in common.
 *
 * @param values what distinguishes it from other cells, by name
 * @param arguments of the load client: a scenario and its options; {@value Platform#DIRECTORY} is replaced as in the
 *     platform
 * @param platform started for each run; null: it already runs
 * @param ready URLs that must answer before the load begins
 */
public record Cell(
        Map<String, String> values,
        List<String> arguments,
        @Nullable Platform platform,
        List<URI> ready) {
    public Cell {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        arguments = List.copyOf(arguments);
        ready = List.copyOf(ready);
    }

    List<String> argumentsIn(Path directory) {
        return arguments.stream()
                .map(word -> word.replace(Platform.DIRECTORY, directory.toString()))
                .toList();
    }

    public String name() {
        return values.entrySet().stream()
                .map(value -> value.getKey() + "=" + value.getValue())
                .collect(Collectors.joining(","));
    }
}
