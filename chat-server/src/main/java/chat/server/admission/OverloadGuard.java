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
 * Takes no new sockets while a resource is short, from its high mark until it is below its low one. Members who are there
 * are served as before. What is short is decided by {@link #look}, on one thread; the door only asks. Thread-safe.
 */
public final class OverloadGuard implements HandshakeRule {
    private static final Logger logger = LoggerFactory.getLogger(OverloadGuard.class);

    private final Map<Resource, Watched> watched = new EnumMap<>(Resource.class);
    private volatile @Nullable Rejection refusal;

    /** One resource, its marks and its last reading. Written by one thread only. */
    private static final class Watched {
        final Watermarks marks;
        final DoubleSupplier probe;
        final Rejection refusal;
        volatile double reading = Double.NaN;
        volatile boolean isShort;

        Watched(Watermarks marks, DoubleSupplier probe, Rejection refusal) {
            this.marks = marks;
            this.probe = probe;
            this.refusal = refusal;
        }
    }

    /** @param probes that read a resource now, in its unit; NaN where it cannot be told */
    public OverloadGuard(OverloadSettings settings, Map<Resource, DoubleSupplier> probes) {
        settings.marks().forEach((resource, marks) -> {
            DoubleSupplier probe = probes.get(resource);
            if (probe == null) return; // not to be had on this system
            watched.put(
                    resource,
                    new Watched(marks, probe, Rejection.unavailable(settings.retryAfter(), resource.reason())));
        });
    }

    @Override
    public @Nullable Rejection refuses(HandshakeRequest visit) {
        return refusal;
    }

    @Override
    public List<String> reasons() {
        return watched.keySet().stream().map(Resource::reason).toList();
    }

    /** Whether new sockets are refused now. */
    public boolean isRefusing() {
        return refusal != null;
    }

    /** The resources that are short now, by their reasons. */
    public Set<String> shortOf() {
        Set<String> reasons = new TreeSet<>();
        watched.forEach((resource, one) -> {
            if (one.isShort) reasons.add(resource.reason());
        });
        return reasons;
    }

    /** What is looked at at all. */
    public Set<Resource> watched() {
        return Set.copyOf(watched.keySet());
    }

    /** The last reading of a resource, in its unit; NaN where there is none. */
    public double reading(Resource resource) {
        Watched one = watched.get(resource);
        return one == null ? Double.NaN : one.reading;
    }

    public boolean isShortOf(Resource resource) {
        Watched one = watched.get(resource);
        return one != null && one.isShort;
    }

    /** Reads every resource and decides anew. Always on the same thread, and not on an event loop. */
    void look() {
        Rejection first = null;
        for (Map.Entry<Resource, Watched> entry : watched.entrySet()) {
            Watched one = entry.getValue();
            double reading = one.probe.getAsDouble();
            one.reading = reading;
            boolean before = one.isShort;
            one.isShort = one.marks.isShort(reading, before);
            if (one.isShort != before) tell(entry.getKey(), one);
            if (one.isShort && first == null) first = one.refusal;
        }
        refusal = first;
    }

    private static void tell(Resource resource, Watched one) {
        String text = String.format(
                Locale.ROOT,
                "%s is %.2f, with marks at %.2f and %.2f",
                resource.reason(),
                one.reading,
                one.marks.high(),
                one.marks.low());
        if (one.isShort) logger.warn("new sockets are refused: {}", text);
        else logger.info("no reason any more to refuse new sockets: {}", text);
    }
}
