package chat.persistence.batch;

import java.util.ArrayList;
import java.util.List;

/**
 * Inserts what can be inserted: rows that are refused together are tried in halves, down to the one that is at fault.
 * One bad row among a thousand costs about twenty more statements. Not thread-safe.
 *
 * @param <E> what ends the attempt as a whole
 */
public final class Bisection<E extends Exception> {

    /** One statement that inserts all or nothing. */
    @FunctionalInterface
    public interface Insert<E extends Exception> {
        /** @return how many rows were not there before */
        int insert(List<MessageRow> rows) throws E, RowsRefused;
    }

    private final Insert<E> insert;
    private final List<DeadLetter> refused = new ArrayList<>();
    private int inserted;

    private Bisection(Insert<E> insert) {
        this.insert = insert;
    }

    /**
     * @param inserted rows that were not there before
     * @param refused the rows at fault, with the reason
     */
    public record Outcome(int inserted, List<DeadLetter> refused) {}

    public static <E extends Exception> Outcome insert(List<MessageRow> rows, Insert<E> insert) throws E {
        Bisection<E> bisection = new Bisection<>(insert);
        bisection.run(rows);
        return new Outcome(bisection.inserted, List.copyOf(bisection.refused));
    }

    private void run(List<MessageRow> rows) throws E {
        if (rows.isEmpty()) return;
        try {
            inserted += insert.insert(rows);
        } catch (RowsRefused reason) {
            if (rows.size() == 1) {
                refused.add(rows.getFirst().refused(String.valueOf(reason.getMessage())));
            } else {
                int middle = rows.size() / 2;
                run(rows.subList(0, middle));
                run(rows.subList(middle, rows.size()));
            }
        }
    }
}
