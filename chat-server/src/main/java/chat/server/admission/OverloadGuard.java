package chat.server.admission;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rejects new WebSockets while a resource is short: from its high watermark until it falls below the low one. Existing
 * members are served as usual. {@link #look} decides on one thread; {@link #check} only reads the result. Thread-safe.
 */
public final class OverloadGuard implements HandshakeRule {
    private static final Logger logger = LoggerFactory.getLogger(OverloadGuard.class);

    private final Map<Resource, Watched> watched = new EnumMap<>(Resource.class);
    private volatile @Nullable Rejection current;

    /** One resource, its watermarks and its last reading. Written by one thread. */
    private static final class Watched {
        final Watermarks marks;
        final DoubleSupplier probe;
        final Rejection rejection;
        volatile double reading = Double.NaN;
        volatile boolean isShort;

        Watched(Watermarks marks, DoubleSupplier probe, Rejection rejection) {
            this.marks = marks;
            this.probe = probe;
            this.rejection = rejection;
        }

        Rejection rejection() {
            return rejection.with(new Rejection.Measured(reading, marks.high(), marks.low()));
        }
    }

    /** @param probes return the current reading of a resource in its unit; NaN if unknown */
    public OverloadGuard(OverloadSettings settings, Map<Resource, DoubleSupplier> probes) {
        settings.marks().forEach((resource, marks) -> {
            DoubleSupplier probe = probes.get(resource);
            if (probe == null) return; // not available on this system
            watched.put(
                    resource,
                    new Watched(marks, probe, Rejection.unavailable(Rejection.RETRY_AFTER, resource.reason())));
        });
    }

    @Override
    public @Nullable Rejection check(HandshakeRequest request) {
        return current;
    }

    @Override
    public List<String> reasons() {
        return watched.keySet().stream().map(Resource::reason).toList();
    }

    /** Whether the guard rejects new sockets now. */
    public boolean isRejecting() {
        return current != null;
    }

    /** The reasons of all resources that are short now. */
    public Set<String> shortOf() {
        Set<String> reasons = new TreeSet<>();
        watched.forEach((resource, one) -> {
            if (one.isShort) reasons.add(resource.reason());
        });
        return reasons;
    }

    /** The resources that are measured. */
    public Set<Resource> watched() {
        return Set.copyOf(watched.keySet());
    }

    /** The last reading of a resource in its unit; NaN if there is none. */
    public double reading(Resource resource) {
        Watched one = watched.get(resource);
        return one == null ? Double.NaN : one.reading;
    }

    public boolean isShortOf(Resource resource) {
        Watched one = watched.get(resource);
        return one != null && one.isShort;
    }

    /** Reads every resource and updates the decision. Always on the same thread, never on an event loop. */
    void look() {
        Rejection first = null;
        for (Map.Entry<Resource, Watched> entry : watched.entrySet()) {
            Watched one = entry.getValue();
            double reading = one.probe.getAsDouble();
            one.reading = reading;
            boolean before = one.isShort;
            one.isShort = one.marks.isShort(reading, before);
            if (one.isShort != before) log(entry.getKey(), one);
            if (one.isShort && first == null) first = one.rejection();
        }
        current = first;
    }

    private static void log(Resource resource, Watched one) {
        String text = String.format(
                Locale.ROOT,
                "%s is %.2f (high watermark %.2f, low watermark %.2f)",
                resource.reason(),
                one.reading,
                one.marks.high(),
                one.marks.low());
        if (one.isShort) logger.warn("Rejecting new sockets: {}", text);
        else logger.info("Resource recovered: {}", text);
    }
}
