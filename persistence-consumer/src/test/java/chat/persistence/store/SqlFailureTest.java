package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.batch.RowsRejected;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlFailureTest {
    private static SQLException failure(String state) {
        return new SQLException("why\nand more", state);
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"22001", "22008", "22021", "23502", "23505", "23514", "54000"})
    void rowsAreAtFault(String state) {
        assertThatThrownBy(() -> SqlFailure.orRefusal(failure(state)))
                .isInstanceOf(RowsRejected.class)
                .hasMessage("why");
    }

    /** Connection, rollback, resources, shutdown and start, locks, serialization, deadlock, a missing table. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "08001", "08006", "40001", "40P01", "53100", "53200", "53300", "55P03", "57014", "57P01", "57P03",
                "42P01"
            })
    void sameBatchIsRetried(String state) throws Exception {
        SQLException failure = failure(state);
        assertThat((Throwable) SqlFailure.orRefusal(failure)).isSameAs(failure);
        assertThat((Throwable) SqlFailure.unavailable(new IllegalStateException(failure)))
                .hasMessage("why (SQLSTATE " + state + ")");
    }

    @Test
    void failureWithoutAnSqlStateIsRetried() throws Exception {
        SQLException failure = new SQLException("timed out");
        assertThat((Throwable) SqlFailure.orRefusal(failure)).isSameAs(failure);
    }
}
