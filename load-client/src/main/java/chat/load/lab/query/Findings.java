package chat.load.lab.query;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import java.util.ArrayList;
import java.util.List;

/** Counts violations of one check and keeps the first few as text. Thread-safe. */
final class Findings {
    private static final int MAX_EXAMPLES = 5;

    private final String name;
    private final List<String> examples = new ArrayList<>();
    private long count;

    Findings(String name) {
        this.name = name;
    }

    synchronized void add(String example) {
        count++;
        if (examples.size() < MAX_EXAMPLES) examples.add(example);
    }

    synchronized long count() {
        return count;
    }

    synchronized Check judged() {
        return new Check(name, count == 0 ? Status.PASS : Status.FAIL, count, List.copyOf(examples));
    }

    Check skipped() {
        return new Check(name, Status.SKIPPED, 0, List.of());
    }
}
