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
    /**
     * Between two statements of a transaction, until PostgreSQL ends the session: 15 s. Whoever vanished without a word, or
     * stands still, would hold its partition's line for hours. We are silent for as long as a batch's arrays take.
     */
    private static final Duration SILENCE = Duration.ofSeconds(15);

    /** The same for counting: 1 minute. A fold adds up 300,000 messages between two statements; no batch waits for it. */
    private static final Duration COUNTING_SILENCE = Duration.ofMinutes(1);

    /** Between two looks of a session that works, or waits for a lock, whether its client has gone: 5 s. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    private final HikariDataSource writing;
    private final HikariDataSource reading;
    private final HikariDataSource aggregating;

    public Pools(PostgresProperties properties, int partitions, MeterRegistry meters) {
        this(properties, partitions, meters, SILENCE, LOOK);
    }

    /**
     * @param silence between two statements of a transaction that writes, until PostgreSQL ends the session; 1 ms at least
     * @param look between two looks whether a client has gone; 1 ms at least
     */
    Pools(PostgresProperties properties, int partitions, MeterRegistry meters, Duration silence, Duration look) {
        int writers = properties.writing().size() == 0
                ? partitions + 1
                : properties.writing().size();
        HikariConfig batches = config("writing", writers, properties.writingAddress(), properties, meters);
        set(batches, limitSilence(silence, look));
        writing = new HikariDataSource(batches);
        HikariConfig queries =
                config("reading", properties.reading().size(), properties.readingAddress(), properties, meters);
        queries.setReadOnly(true);
        queries.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        set(queries, limitStatements(queries, properties.reading().queryTimeout(), properties.socketTimeout()));
        reading = new HikariDataSource(queries);
        HikariConfig counting =
                config("aggregating", properties.aggregating().size(), properties.writingAddress(), properties, meters);
        set(
                counting,
                limitStatements(counting, properties.aggregating().queryTimeout(), properties.socketTimeout())
                        + limitSilence(COUNTING_SILENCE, look));
        aggregating = new HikariDataSource(counting);
    }

    /** PostgreSQL ends a statement that takes too long; the driver must not do so before: it would go on unseen. */
    private static String limitStatements(HikariConfig config, Duration longest, Duration socketTimeout) {
        tell(config, "socketTimeout", longest.plus(socketTimeout).toSeconds());
        return "SET statement_timeout = " + longest.toMillis() + ";";
    }

    /**
     * A transaction whose client is lost must not keep its locks, nor wait for those of others, connection by connection.
     * PostgreSQL before 14 does not look after clients, and on Windows it refuses to: one does without there.
     */
    private static String limitSilence(Duration silence, Duration look) {
        return "SET idle_in_transaction_session_timeout = " + silence.toMillis() + "; "
                + "DO $$ BEGIN SET client_connection_check_interval = " + look.toMillis() + "; "
                + "EXCEPTION WHEN undefined_object OR invalid_parameter_value THEN NULL; END $$;";
    }

    private static void set(HikariConfig config, String limits) {
        config.setConnectionInitSql(limits);
        // Committed at once: as a part of the first transaction the limits would be gone should that one fail.
        config.setIsolateInternalQueries(true);
    }

    /** As text: the pool hands other values on as they are, and the driver takes them for missing. */
    private static void tell(HikariConfig config, String property, Object value) {
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
