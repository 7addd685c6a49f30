package chat.server.admission;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What the rates of this server let pass and did not, since its start; any thread may read. */
public final class RateCounters {
    /** Of one kind of bucket. */
    public static final class Of {
        /** Let pass, at once or after a wait. */
        public final LongAdder admitted = new LongAdder();
        /** Let pass, and then refused by the next bucket: these are in {@link #admitted}, too. */
        public final LongAdder givenBack = new LongAdder();

        public final LongAdder refused = new LongAdder();
        /** Began to wait, and their session ended before their turn. */
        public final LongAdder abandoned = new LongAdder();
        /** Waiting now. */
        public final LongAdder waiting = new LongAdder();
    }

    private final Map<RateScope, Of> all = new EnumMap<>(RateScope.class);

    public RateCounters() {
        for (RateScope bound : RateScope.values()) all.put(bound, new Of());
    }

    public Of of(RateScope bound) {
        Of counters = all.get(bound);
        if (counters == null) throw new IllegalStateException("no counters for " + bound);
        return counters;
    }
}
