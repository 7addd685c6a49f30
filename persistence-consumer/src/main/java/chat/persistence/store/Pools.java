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
        limitStatements(queries, properties.reading().queryTimeout());
        reading = new HikariDataSource(queries);
        HikariConfig counting =
                config("aggregating", properties.aggregating().size(), properties.writingAddress(), properties, meters);
        Duration longest = properties.aggregating().queryTimeout();
        limitStatements(counting, longest);
        // PostgreSQL ends a statement that takes too long; the driver must not do so before.
        counting.addDataSourceProperty(
                "socketTimeout", longest.plus(properties.socketTimeout()).toSeconds());
        aggregating = new HikariDataSource(counting);
    }

    private static void limitStatements(HikariConfig config, Duration longest) {
        config.setConnectionInitSql("SET statement_timeout = " + longest.toMillis());
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
        config.setConnectionTimeout(Math.max(250, properties.connectTimeout().toMillis()));
        config.setValidationTimeout(1000);
        config.setInitializationFailTimeout(-1);
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(2));
        config.addDataSourceProperty("ApplicationName", "confab-consumer-" + name);
        config.addDataSourceProperty(
                "connectTimeout", Math.max(1, properties.connectTimeout().toSeconds()));
        config.addDataSourceProperty("socketTimeout", properties.socketTimeout().toSeconds());
        config.addDataSourceProperty("tcpKeepAlive", true);
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
