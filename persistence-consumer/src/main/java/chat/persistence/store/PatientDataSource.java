package chat.persistence.store;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Wraps a data source for work on whole tables, with a longer socket timeout. The pool restores its own timeout when a
 * connection is returned.
 *
 * @param patience socket timeout
 */
record PatientDataSource(DataSource source, Duration patience) implements DataSource {
    @Override
    public Connection getConnection() throws SQLException {
        return patient(source.getConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return patient(source.getConnection(user, password));
    }

    private Connection patient(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(patience.toMillis()));
        return connection;
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return source.isWrapperFor(type);
    }
}
