package chat.persistence.analytics;

import chat.persistence.rollup.Counts;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** Selects the numbers with the highest counts. */
final class Top {
    private static final Comparator<Entry> LOWEST_FIRST =
            Comparator.comparingLong(Entry::count).thenComparing(Entry::number, Comparator.reverseOrder());

    private Top() {}

    record Entry(int number, long count) {}

    /** Highest count first; of equal counts the lower number first. */
    static List<Entry> of(Counts counts, int limit) {
        PriorityQueue<Entry> best = new PriorityQueue<>(LOWEST_FIRST);
        counts.forEach((number, count) -> {
            Entry lowest = best.peek();
            if (best.size() == limit && lowest != null && count <= lowest.count()) return;
            best.add(new Entry(number, count));
            if (best.size() > limit) best.remove();
        });
        List<Entry> entries = new ArrayList<>(best);
        entries.sort(LOWEST_FIRST.reversed());
        return entries;
    }
}
