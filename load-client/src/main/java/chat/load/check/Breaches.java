package chat.load.check;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Counts violations of one check and keeps the first few as text. */
final class Breaches {
    private static final int MAX_EXAMPLES = 5;

    private final String name;
    private final List<String> examples = new ArrayList<>();
    private long count;

    Breaches(String name) {
        this.name = name;
    }

    void add(Supplier<String> example) {
        add(1, example);
    }

    void add(long more, Supplier<String> example) {
        if (more == 0) return;
        count += more;
        if (examples.size() < MAX_EXAMPLES) examples.add(example.get());
    }

    long count() {
        return count;
    }

    Check judged() {
        return new Check(name, count == 0 ? Status.PASS : Status.FAIL, count, List.copyOf(examples));
    }

    Check skipped(String why) {
        return new Check(name, Status.SKIPPED, 0, List.of(why));
    }
}
