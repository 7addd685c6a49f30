package chat.persistence.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.metrics.micrometer.MicrometerMetricsTrackerFactory;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Holds the connection pools. Writing, queries and counting have a pool each, so that none starves another. Pools
 * connect on demand: PostgreSQL need not be running yet.
 */
public final class Pools implements AutoCloseable {
    /**
     * Time between two statements of a transaction after which PostgreSQL ends the session. Without it, a client that
     * vanished or hangs would keep its partition's row locked for hours. It must exceed the time that encoding a batch
     * takes.
     */
    private static final Duration SILENCE = Duration.ofSeconds(15);

    /** The same for counting. A fold adds up 300,000 messages between two statements; no batch waits for it. */
    private static final Duration COUNTING_SILENCE = Duration.ofMinutes(1);

    /** Interval at which a session that works, or waits for a lock, checks that its client is still connected. */
    private static final Duration CLIENT_CHECK = Duration.ofSeconds(5);

    /** Connections for counting: one each for folds, refreshes and checks. */
    private static final int AGGREGATING = 3;

    private final HikariDataSource writing;
    private final HikariDataSource reading;
    private final HikariDataSource aggregating;

    public Pools(PostgresProperties properties, int partitions, MeterRegistry meters) {
        this(properties, partitions, meters, SILENCE, CLIENT_CHECK);
    }

    /**
     * @param silence idle time in a writing transaction after which PostgreSQL ends the session, at least 1 ms
     * @param clientCheck interval of the check for a lost client, at least 1 ms
     */
    Pools(PostgresProperties properties, int partitions, MeterRegistry meters, Duration silence, Duration clientCheck) {
        // One connection per partition, and one for maintenance.
        HikariConfig batches = config("writing", partitions + 1, properties.writingAddress(), properties, meters);
        set(batches, limitSilence(silence, clientCheck));
        writing = new HikariDataSource(batches);
        HikariConfig queries =
                config("reading", properties.reading().size(), properties.readingAddress(), properties, meters);
        queries.setReadOnly(true);
        queries.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        set(queries, limitStatements(queries, properties.reading().queryTimeout(), properties.socketTimeout()));
        reading = new HikariDataSource(queries);
        HikariConfig counting = config("aggregating", AGGREGATING, properties.writingAddress(), properties, meters);
        set(
                counting,
                limitStatements(counting, properties.aggregating().queryTimeout(), properties.socketTimeout())
                        + limitSilence(COUNTING_SILENCE, clientCheck));
        aggregating = new HikariDataSource(counting);
    }

    /**
     * PostgreSQL ends a statement that takes too long. The driver must not time out first: the statement would go on.
     */
    private static String limitStatements(HikariConfig config, Duration longest, Duration socketTimeout) {
        property(config, "socketTimeout", longest.plus(socketTimeout).toSeconds());
        return "SET statement_timeout = " + longest.toMillis() + ";";
    }

    /**
     * Keeps a transaction whose client is lost from holding or awaiting locks. PostgreSQL before 14 lacks the check
     * for lost clients, and PostgreSQL on Windows rejects it: these run without it.
     */
    private static String limitSilence(Duration silence, Duration clientCheck) {
        return "SET idle_in_transaction_session_timeout = " + silence.toMillis() + "; "
                + "DO $$ BEGIN SET client_connection_check_interval = " + clientCheck.toMillis() + "; "
                + "EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN NULL; END $$;";
    }

    private static void set(HikariConfig config, String limits) {
        config.setConnectionInitSql(limits);
        // Commits the session limits at once: as part of the first transaction they would be lost if it failed.
        config.setIsolateInternalQueries(true);
    }

    /** Passes the value as text: the pool hands other types on as they are, and the driver ignores those. */
    private static void property(HikariConfig config, String property, Object value) {
        config.addDataSourceProperty(property, value.toString());
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
        // Set explicitly: HikariCP reads the default from its first connection only and, if that is lost at this
        // moment, keeps none.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionTimeout(Math.max(250, properties.connectTimeout().toMillis()));
        config.setValidationTimeout(1000);
        config.setInitializationFailTimeout(-1);
        config.setKeepaliveTime(TimeUnit.MINUTES.toMillis(2));
        property(config, "ApplicationName", "confab-consumer-" + name);
        property(
                config,
                "connectTimeout",
                Math.max(1, properties.connectTimeout().toSeconds()));
        property(config, "socketTimeout", properties.socketTimeout().toSeconds());
        property(config, "tcpKeepAlive", true);
        config.setMetricsTrackerFactory(new MicrometerMetricsTrackerFactory(meters));
        return config;
    }

    /** For the ingest; auto-commit is off. */
    public DataSource writing() {
        return writing;
    }

    /** For queries: read-only, one snapshot per transaction; auto-commit is off. */
    public DataSource reading() {
        return reading;
    }

    /** For roll-ups; auto-commit is off. */
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
