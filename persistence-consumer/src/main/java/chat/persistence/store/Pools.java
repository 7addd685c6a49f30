package chat.persistence.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * The pools of connections: writing, queries and counting cannot starve each other. They open connections when asked, so
 * PostgreSQL need not be there yet.
 */
public final class Pools implements AutoCloseable {
    private final HikariDataSource writing;
    private final HikariDataSource reading;
    private final HikariDataSource aggregating;

    public Pools(PostgresProperties properties, int partitions, MeterRegistry meters) {
        int writers = properties.writing().size() == 0
                ? partitions + 1
                : properties.writing().size();
        writing = pool("writing", writers, properties.writingAddress(), properties, meters);
        HikariConfig queries =
                config("reading", properties.reading().size(), properties.readingAddress(), properties, meters);
        queries.setReadOnly(true);
        queries.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        limitStatements(queries, properties.reading().queryTimeout(), properties.socketTimeout());
        reading = new HikariDataSource(queries);
        HikariConfig counting =
                config("aggregating", properties.aggregating().size(), properties.writingAddress(), properties, meters);
        limitStatements(counting, properties.aggregating().queryTimeout(), properties.socketTimeout());
        aggregating = new HikariDataSource(counting);
    }

    /** PostgreSQL ends a statement that takes too long; the driver must not do so before: it would go on unseen. */
    private static void limitStatements(HikariConfig config, Duration longest, Duration socketTimeout) {
        config.setConnectionInitSql("SET statement_timeout = " + longest.toMillis());
        // Committed at once: as a part of the first transaction the limit would be gone should that one fail.
        config.setIsolateInternalQueries(true);
        tell(config, "socketTimeout", longest.plus(socketTimeout).toSeconds());
    }

    /** As text: the pool hands other values on as they are, and the driver takes them for missing. */
    private static void tell(HikariConfig config, String property, Object value) {
        config.addDataSourceProperty(property, value.toString());
    }

    private static HikariDataSource pool(
            String name,
            int size,
            PostgresProperties.Address address,
            PostgresProperties properties,
            MeterRegistry meters) {
        return new HikariDataSource(config(name, size, address, properties, meters));
    }

    private static HikariConfig config(
            String name,
            int size,
            PostgresProperties.Address address,
            PostgresProperties properties,
            MeterRegistry meters) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(address.jdbcUrl());
        config.setUsername(address.user());
        config.setPassword(address.password());
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setAutoCommit(false);
        // Said, not found out: HikariCP asks its first connection only, and one lost while asked leaves none for ever.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionTimeout(Math.max(250, properties.connectTimeout().toMillis()));
        config.setValidationTimeout(1000);
        config.setInitializationFailTimeout(-1);
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(2));
        tell(config, "ApplicationName", "confab-consumer-" + name);
        tell(config, "connectTimeout", Math.max(1, properties.connectTimeout().toSeconds()));
        tell(config, "socketTimeout", properties.socketTimeout().toSeconds());
        tell(config, "tcpKeepAlive", true);
        config.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
        return config;
    }

    /** For the consumer; auto-commit is off. */
    public DataSource writing() {
        return writing;
    }

    /** For queries: read only, each transaction sees one snapshot; auto-commit is off. */
    public DataSource reading() {
        return reading;
    }

    /** For counting what was stored; auto-commit is off. */
    public DataSource aggregating() {
        return aggregating;
    }

    @Override
    public void close() {
        aggregating.close();
        reading.close();
        writing.close();
    }
}
