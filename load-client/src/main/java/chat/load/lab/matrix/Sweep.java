package chat.load.lab.matrix;

import chat.load.lab.matrix.Axis.Kind;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds a sweep as a matrix: the same load for each value of one or more settings. */
public final class Sweep {
    private static final Set<String> SCHEMES = Set.of("http", "https", "tcp");

    private Sweep() {}

    /**
     * @param oneAtATime vary one setting while the others keep their first values, instead of all combinations
     * @param platform restarted for each run; null: it already runs, and only options can be varied
     * @param ready URLs that must answer besides the load's servers
     * @throws IllegalArgumentException if it cannot run; the message says why
     */
    public static List<Cell> cells(
            List<Axis> axes, boolean oneAtATime, @Nullable Platform platform, List<URI> ready, Load load) {
        if (axes.isEmpty()) throw new IllegalArgumentException("nothing is varied: give --set or --option");
        if (new LinkedHashSet<>(axes.stream().map(Axis::name).toList()).size() < axes.size())
            throw new IllegalArgumentException("a setting is given twice");
        for (Axis axis : axes) {
            if (axis.kind() == Kind.OPTION) load.refuse("--" + axis.name(), "it is varied");
            else if (platform == null)
                throw new IllegalArgumentException(
                        axis.name() + " is a setting of the platform: give --platform, which is started for each run");
        }
        Platform fresh = platform == null ? null : platform.withFreshDirectory();
        List<URI> awaited = ready(fresh, ready, load);
        return (oneAtATime ? Axis.oneAtATime(axes) : Axis.product(axes))
                .stream().map(point -> cell(point, fresh, awaited, load)).toList();
    }

    private static List<URI> ready(@Nullable Platform platform, List<URI> ready, Load load) {
        List<URI> all = new ArrayList<>(Readiness.of(load.urls(), load.driver(), load.history(), platform));
        for (URI url : ready) {
            if (url.getHost() == null || !SCHEMES.contains(String.valueOf(url.getScheme())))
                throw new IllegalArgumentException(
                        "what has to be ready is given as http://host:port/path or tcp://host:port, not " + url);
            all.add(url);
        }
        return all.stream().distinct().toList();
    }

    private static Cell cell(Map<Axis, String> point, @Nullable Platform platform, List<URI> ready, Load load) {
        Map<String, String> values = new LinkedHashMap<>();
        Map<String, String> environment = new LinkedHashMap<>();
        List<String> options = new ArrayList<>();
        point.forEach((axis, value) -> {
            values.put(axis.name(), value);
            switch (axis.kind()) {
                case ENVIRONMENT -> environment.put(axis.name(), value);
                case OPTION -> options.addAll(List.of("--" + axis.name(), value));
            }
        });
        Platform own = platform == null ? null : new Platform(platform.command(), environment);
        return new Cell(values, load.with(options), own, ready);
    }
}
