package chat.persistence.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BisectionTest {
    private final Set<Long> table = new HashSet<>();
    private int statements;

    /** A table that refuses some positions. */
    private Bisection.Outcome<MessageRow> insert(List<MessageRow> rows, Set<Long> bad) {
        return Bisection.<MessageRow, RuntimeException>insert(rows, some -> {
            statements++;
            if (some.stream().anyMatch(row -> bad.contains(row.position())))
                throw new RowsRejected("one of " + some.size(), new IOException());
            some.forEach(row -> table.add(row.position()));
            return some.size();
        });
    }

    @Test
    void goodRowsTakeOneStatement() {
        Bisection.Outcome<MessageRow> outcome = insert(Rows.rows(0, 1000), Set.of());
        assertThat(outcome).isEqualTo(new Bisection.Outcome<>(1000, List.of()));
        assertThat(statements).isEqualTo(1);
    }

    @Test
    void oneBadRowAmongAThousandIsFoundAndTheRestStored() {
        for (long bad : new long[] {0, 499, 500, 999}) {
            table.clear();
            statements = 0;
            Bisection.Outcome<MessageRow> outcome = insert(Rows.rows(0, 1000), Set.of(bad));
            assertThat(outcome.inserted()).isEqualTo(999);
            assertThat(outcome.refused()).singleElement().satisfies(refused -> {
                assertThat(refused.item().position()).isEqualTo(bad);
                assertThat(refused.reason()).isEqualTo("one of 1");
            });
            assertThat(table).hasSize(999).doesNotContain(bad);
            assertThat(statements).isLessThanOrEqualTo(21);
        }
    }

    @Test
    void everyRowCanBeBad() {
        Set<Long> all =
                new HashSet<>(IntStream.range(0, 8).mapToObj(Long::valueOf).toList());
        Bisection.Outcome<MessageRow> outcome = insert(Rows.rows(0, 8), all);
        assertThat(outcome.inserted()).isZero();
        assertThat(outcome.refused())
                .extracting(refused -> refused.item().position())
                .containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
    }

    @Test
    void lostConnectionEndsTheAttempt() {
        assertThatThrownBy(() -> Bisection.<MessageRow, IOException>insert(Rows.rows(0, 8), some -> {
                    throw new IOException("gone");
                }))
                .isInstanceOf(IOException.class);
    }

    @Test
    void noRowsAreNoStatement() {
        assertThat(insert(List.of(), Set.of()).inserted()).isZero();
        assertThat(statements).isZero();
    }
}
