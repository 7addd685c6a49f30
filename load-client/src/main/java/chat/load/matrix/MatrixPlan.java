package chat.load.matrix;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;

/**
 * What is to be run, in which order. Every repeat takes each cell once before the next repeat begins: a machine that
 * gets slower or faster over the hours then does so to all cells alike.
 *
 * @param title {@code sweep} or {@code compare}; begins the names of the result files
 * @param repeats runs of each cell that count
 * @param warmUps runs before a cell's first run on a platform that count for nothing
 * @param shuffled by the seed within each repeat, so that none always follows the same other one
 * @param out for everything
 * @param keepData whether what a platform has stored stays after the run
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
     * When something is given up.
     *
     * @param start from the platform's start until it answers
     * @param run of one run of the load client
     * @param stop from SIGTERM to the platform until it is killed
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

    /** In the order in which they are to be run. */
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
