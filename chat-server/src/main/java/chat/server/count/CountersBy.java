package chat.server.count;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Holds one counter for each constant of an enum. Thread-safe. */
public final class CountersBy<E extends Enum<E>> {
    private final Map<E, LongAdder> all;

    public CountersBy(Class<E> type) {
        this.all = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) all.put(constant, new LongAdder());
    }

    public LongAdder of(E constant) {
        LongAdder counter = all.get(constant);
        if (counter == null) throw new IllegalStateException("no counter for " + constant);
        return counter;
    }
}
