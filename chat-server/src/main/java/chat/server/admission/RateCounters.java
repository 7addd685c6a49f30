package chat.server.admission;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the rate limits of this server admitted and rejected since its start; any thread may read. */
public final class RateCounters {
    /** The counters of one scope. */
    public static final class Of {
        /** Admitted, at once or after a wait. */
        public final LongAdder admitted = new LongAdder();
        /** Admitted here and rejected by a later scope; also counted in {@link #admitted}. */
        public final LongAdder givenBack = new LongAdder();

        public final LongAdder rejected = new LongAdder();
        /** Messages whose session ended while they waited. */
        public final LongAdder abandoned = new LongAdder();
        /** Waiting now. */
        public final LongAdder waiting = new LongAdder();
    }

    private final Map<RateScope, Of> all = new EnumMap<>(RateScope.class);

    public RateCounters() {
        for (RateScope scope : RateScope.values()) all.put(scope, new Of());
    }

    public Of of(RateScope scope) {
        Of counters = all.get(scope);
        if (counters == null) throw new IllegalStateException("no counters for " + scope);
        return counters;
    }
}
