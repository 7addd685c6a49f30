package chat.load.lab.matrix;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;

/**
 * Defines which runs to execute and in which order. Every repeat runs each cell once before the next repeat begins,
 * so that slow changes of the machine affect all cells equally.
 *
 * @param title {@code sweep} or {@code compare}; the names of the result files begin with it
 * @param repeats measured runs of each cell
 * @param warmUps unmeasured runs before a cell's first run on a platform
 * @param shuffled whether the seed shuffles each repeat, so that no cell always follows the same other one
 * @param out the output folder
 * @param keepData whether the platform's stored data is kept after the run
 */
public record MatrixPlan(
        String title,
        List<Cell> cells,
        int repeats,
        int warmUps,
        boolean shuffled,
        long seed,
        Path out,
        Limits limits,
        boolean keepData) {
    private static final int MAX_RUNS = 10_000;

    /**
     * Time limits.
     *
     * @param start from the platform's start until it answers
     * @param run one run of the load client
     * @param stop from SIGTERM until the platform is killed
     */
    public record Limits(Duration start, Duration run, Duration stop) {
        public Limits {
            if (!start.isPositive() || !run.isPositive() || stop.isNegative())
                throw new IllegalArgumentException("a time limit must be more than nothing");
        }
    }

    public MatrixPlan {
        cells = List.copyOf(cells);
        if (cells.isEmpty()) throw new IllegalArgumentException("there is nothing to run");
        if (repeats < 1) throw new IllegalArgumentException("repeats must be at least 1");
        if (warmUps < 0) throw new IllegalArgumentException("warm-ups can't be negative");
        if ((long) cells.size() * repeats > MAX_RUNS)
            throw new IllegalArgumentException(
                    "that makes " + (long) cells.size() * repeats + " runs, more than " + MAX_RUNS);
        if (new LinkedHashSet<>(cells.stream().map(Cell::name).toList()).size() < cells.size())
            throw new IllegalArgumentException("two runs of a repeat have the same name");
    }

    /** Returns the runs in order. */
    public List<Run> runs() {
        Random random = new Random(seed);
        int all = cells.size() * repeats;
        List<Run> runs = new ArrayList<>(all);
        for (int repeat = 1; repeat <= repeats; repeat++) {
            List<Cell> order = new ArrayList<>(cells);
            if (shuffled) Collections.shuffle(order, random);
            for (Cell cell : order) runs.add(new Run(runs.size() + 1, repeat, all, cell));
        }
        return runs;
    }
}
