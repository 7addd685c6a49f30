package chat.persistence.batch;

import java.util.ArrayList;
import java.util.List;

/**
 * Stores as many items as possible: splits a rejected list in halves until it finds the bad items. One bad row among a
 * thousand costs about twenty more statements. Not thread-safe.
 *
 * @param <T> type of the items
 * @param <E> failure that ends the whole attempt
 */
public final class Bisection<T, E extends Exception> {

    /** One statement that stores all or nothing. */
    @FunctionalInterface
    public interface Insert<T, E extends Exception> {
        /** @return number of new rows */
        int insert(List<T> some) throws E, RowsRejected;
    }

    /** A rejected item. */
    public record Refused<T>(T item, String reason) {}

    /**
     * @param inserted number of new rows
     * @param refused rejected items
     */
    public record Outcome<T>(int inserted, List<Refused<T>> refused) {}

    private final Insert<T, E> insert;
    private final List<Refused<T>> refused = new ArrayList<>();
    private int inserted;

    private Bisection(Insert<T, E> insert) {
        this.insert = insert;
    }

    public static <T, E extends Exception> Outcome<T> insert(List<T> all, Insert<T, E> insert) throws E {
        Bisection<T, E> bisection = new Bisection<>(insert);
        bisection.run(all);
        return new Outcome<>(bisection.inserted, List.copyOf(bisection.refused));
    }

    private void run(List<T> some) throws E {
        if (some.isEmpty()) return;
        try {
            inserted += insert.insert(some);
        } catch (RowsRejected reason) {
            if (some.size() == 1) {
                refused.add(new Refused<>(some.getFirst(), String.valueOf(reason.getMessage())));
            } else {
                int middle = some.size() / 2;
                run(some.subList(0, middle));
                run(some.subList(middle, some.size()));
            }
        }
    }
}
