package chat.load.matrix;

import java.net.URI;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One point of a matrix: what all its repeats have in common.
 *
 * @param values what tells it from the others, by name
 * @param arguments of the load client: a scenario and its options; {@value Platform#DIRECTORY} as in the platform
 * @param platform what is started for each run; null: what is loaded runs already
 * @param ready what has to answer over HTTP before the load begins
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
