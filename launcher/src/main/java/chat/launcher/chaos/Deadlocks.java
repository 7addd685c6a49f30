package chat.launcher.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Locks the tables of the consumer in the opposite order, so that PostgreSQL ends transactions as deadlocked. */
final class Deadlocks implements Fault {
    private static final String COUNT = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    /** Less than PostgreSQL's deadlock_timeout of 1 s: it ends the transaction that has waited for 1 s first. */
    private static final long BETWEEN_LOCKS_MILLIS = 500;

    private static final String DEADLOCK = "40P01";

    private final Target target;
    private @Nullable Background background;
    private long before;

    Deadlocks(Target target) {
        this.target = target;
    }

    @Override
    public void inject() {
        before = Sql.number(target, COUNT);
        background = new Background("locking in the opposite order", this::lock);
    }

    /** The consumer moves its position before it inserts messages. */
    private void lock() throws SQLException, InterruptedException {
        try (Connection connection = target.primary()) {
            connection.setAutoCommit(false);
            Sql.execute(connection, "LOCK TABLE messages IN SHARE MODE");
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOCKS_MILLIS);
            Sql.execute(connection, "SELECT * FROM log_position FOR UPDATE");
        } catch (SQLException failure) {
            if (!DEADLOCK.equals(failure.getSQLState())) throw failure;
        }
        TimeUnit.MILLISECONDS.sleep(BETWEEN_LOCKS_MILLIS);
    }

    @Override
    public void heal() throws InterruptedException {
        if (background != null) background.stop();
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        // A backend reports its statistics at most once per second.
        return Waiting.within(Waiting.PATIENCE, () -> Sql.number(target, COUNT) > before)
                ? List.of()
                : List.of("no deadlock occurred");
    }
}
