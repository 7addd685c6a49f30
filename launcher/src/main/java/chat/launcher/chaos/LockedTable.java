package chat.launcher.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Locks a table against writing. */
final class LockedTable implements Fault {
    private final Target target;
    private final String table;
    private @Nullable Connection holder;

    LockedTable(Target target, String table) {
        this.target = target;
        this.table = table;
    }

    @Override
    public void inject() {
        try {
            Connection connection = target.primary();
            holder = connection;
            connection.setAutoCommit(false);
            Sql.execute(connection, "LOCK TABLE " + table + " IN SHARE MODE");
        } catch (SQLException failure) {
            throw new ChaosFailure("cannot lock the table " + table + ": " + failure.getMessage());
        }
    }

    @Override
    public void heal() {
        try {
            if (holder != null) holder.close();
        } catch (SQLException failure) {
            throw new ChaosFailure("the lock on the table " + table + " was lost: " + failure.getMessage());
        }
    }
}
