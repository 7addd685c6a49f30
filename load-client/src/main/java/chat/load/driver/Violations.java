package chat.load.driver;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Counts protocol violations of servers and keeps the first few as text. Thread-safe. */
final class Violations {
    private static final int MAX_EXAMPLES = 20;

    private final ConcurrentLinkedQueue<String> examples = new ConcurrentLinkedQueue<>();
    private final AtomicLong count = new AtomicLong();

    void add(String what) {
        if (count.getAndIncrement() < MAX_EXAMPLES) examples.add(what);
    }

    long count() {
        return count.get();
    }

    List<String> examples() {
        return List.copyOf(examples);
    }
}
