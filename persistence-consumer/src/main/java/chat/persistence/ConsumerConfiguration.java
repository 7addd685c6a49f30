package chat.persistence;

import chat.kit.identity.Role;
import chat.kit.management.ManagementConfiguration;
import chat.kit.management.http.HttpConnections;
import chat.kit.tracing.Tracing;
import chat.kit.tracing.TracingSettings;
import chat.kit.web.HttpConfiguration;
import chat.log.RoomLog;
import chat.persistence.access.AccessConfiguration;
import chat.persistence.access.Callers;
import chat.persistence.analytics.DocumentRoutes;
import chat.persistence.analytics.QueryRoutes;
import chat.persistence.analytics.QueryThreads;
import chat.persistence.analytics.Snapshots;
import chat.persistence.batch.WriterLimit;
import chat.persistence.dashboard.DashboardSettings;
import chat.persistence.dashboard.FigureRoutes;
import chat.persistence.dashboard.PageRoutes;
import chat.persistence.deadletter.DeadLetterRoutes;
import chat.persistence.deadletter.DeadLetters;
import chat.persistence.ingest.Ingest;
import chat.persistence.ingest.IngestSettings;
import chat.persistence.rate.RestRate;
import chat.persistence.rollup.PendingRollups;
import chat.persistence.rollup.Rollups;
import chat.persistence.store.BreakingStore;
import chat.persistence.store.Maintenance;
import chat.persistence.store.Pools;
import chat.persistence.store.PostgresProperties;
import chat.persistence.store.PostgresStore;
import chat.persistence.store.RowsStoredListener;
import chat.persistence.store.StoreProperties;
import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Wires the whole consumer, for any WebFlux application that has a {@link RoomLog}. Defines no bean that another part
 * of such an application could define: no data source, no clock, no codec.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({
    ConsumerProperties.class,
    PostgresProperties.class,
    StoreProperties.class,
    AnalyticsProperties.class,
    DashboardSettings.class,
    TracingSettings.class
})
@Import({AccessConfiguration.class, ManagementConfiguration.class, HttpConfiguration.class})
public class ConsumerConfiguration {
    @Bean
    Pools consumerPools(PostgresProperties properties, RoomLog log, ObjectProvider<MeterRegistry> meters) {
        return new Pools(properties, log.partitions(), meters.getIfAvailable(SimpleMeterRegistry::new));
    }

    @Bean
    PostgresStore consumerStore(Pools consumerPools, ObjectProvider<RowsStoredListener> listener) {
        return new PostgresStore(
                consumerPools.writing(), listener.getIfAvailable(() -> RowsStoredListener.NONE), Clock.systemUTC());
    }

    @Bean
    BreakingStore breakingStore(PostgresStore consumerStore, ObjectProvider<MeterRegistry> meters) {
        return new BreakingStore(consumerStore, meters.getIfAvailable(SimpleMeterRegistry::new));
    }

    @Bean
    Maintenance consumerMaintenance(
            Pools consumerPools, StoreProperties properties, ObjectProvider<MeterRegistry> meters) {
        return new Maintenance(
                consumerPools.writing(),
                properties,
                meters.getIfAvailable(SimpleMeterRegistry::new),
                Clock.systemUTC());
    }

    @Bean
    Tracing consumerTracing(
            TracingSettings settings, @Value("${logging.structured.ecs.service.node-name:}") String node) {
        return Tracing.of(settings, "persistence-consumer", node);
    }

    @Bean
    MeterBinder consumerTracingMeters(@Qualifier("consumerTracing") Tracing tracing) {
        return registry -> tracing.bind(registry, "persistence.tracing.spans");
    }

    @Bean
    IngestSettings ingestSettings(ConsumerProperties properties) {
        return properties.ingest();
    }

    @Bean
    Ingest ingest(
            RoomLog log,
            BreakingStore breakingStore,
            ConsumerProperties properties,
            IngestSettings settings,
            ObjectProvider<MeterRegistry> meters,
            @Qualifier("consumerTracing") Tracing tracing) {
        return new Ingest(
                log,
                new WriterLimit(breakingStore, properties.writers()),
                settings,
                meters.getIfAvailable(SimpleMeterRegistry::new),
                Clock.systemUTC(),
                tracing.traces());
    }

    @Bean
    QueryThreads consumerQueries(PostgresProperties properties) {
        return QueryThreads.of(properties.reading().size());
    }

    @Bean
    MeterBinder consumerQueryMeters(QueryThreads consumerQueries) {
        return registry -> FunctionCounter.builder(
                        "persistence.rest.full",
                        consumerQueries,
                        queries -> queries.refused().sum())
                .description("REST queries rejected because too many were waiting")
                .register(registry);
    }

    @Bean
    RestRate consumerRestRate(ConsumerProperties properties, ObjectProvider<MeterRegistry> meters) {
        return new RestRate(
                properties.rate(), TimeMeter.SYSTEM_NANOTIME, meters.getIfAvailable(SimpleMeterRegistry::new));
    }

    @Bean
    RouterFunction<ServerResponse> consumerQueryRoutes(
            Pools consumerPools,
            RoomLog log,
            AnalyticsProperties properties,
            QueryThreads consumerQueries,
            Callers callers,
            RestRate consumerRestRate,
            HttpConnections httpConnections,
            ObjectProvider<MeterRegistry> meters) {
        return new QueryRoutes(
                        new Snapshots(consumerPools.reading()),
                        log.partitions(),
                        properties.answers(),
                        consumerQueries,
                        callers,
                        httpConnections::hasRoom,
                        meters.getIfAvailable(SimpleMeterRegistry::new),
                        Clock.systemUTC())
                .routes()
                .filter(consumerRestRate);
    }

    @Bean
    RouterFunction<ServerResponse> consumerDocumentRoutes() {
        return new DocumentRoutes().routes();
    }

    @Bean
    RowsStoredListener consumerPendingRollups() {
        return new PendingRollups();
    }

    @Bean
    Rollups consumerRollups(Pools consumerPools, AnalyticsProperties properties, ObjectProvider<MeterRegistry> meters) {
        return new Rollups(
                consumerPools.aggregating(),
                properties.rollups(),
                meters.getIfAvailable(SimpleMeterRegistry::new),
                Clock.systemUTC());
    }

    @Bean
    RollupCheckEndpoint rollupCheckEndpoint(Rollups consumerRollups) {
        return new RollupCheckEndpoint(consumerRollups);
    }

    @Bean
    RouterFunction<ServerResponse> deadLetterRoutes(
            Pools consumerPools,
            BreakingStore breakingStore,
            QueryThreads consumerQueries,
            RestRate consumerRestRate,
            Callers callers) {
        DeadLetters letters = new DeadLetters(consumerPools.reading(), consumerPools.writing(), breakingStore);
        return new DeadLetterRoutes(letters, consumerQueries.others())
                .routes()
                .filter((request, route) -> callers.ifAllowed(
                        request, caller -> caller.role().mayAct(Role.OPERATOR), () -> route.handle(request)))
                .filter(consumerRestRate);
    }

    @Bean
    RouterFunction<ServerResponse> dashboardFigureRoutes(
            DashboardSettings settings,
            Ingest ingest,
            Callers callers,
            RestRate consumerRestRate,
            ObjectProvider<PrometheusMeterRegistry> prometheus,
            ObjectProvider<MeterRegistry> meters) {
        return new FigureRoutes(
                        settings,
                        ingest::health,
                        prometheus.getIfAvailable(),
                        meters.getIfAvailable(SimpleMeterRegistry::new),
                        callers,
                        Clock.systemUTC())
                .routes()
                .filter(consumerRestRate);
    }

    @Bean
    RouterFunction<ServerResponse> dashboardPageRoutes() {
        return new PageRoutes().routes();
    }

    @Bean
    RouterFunction<ServerResponse> consumerHealthRoute(
            Ingest ingest, BreakingStore breakingStore, ObjectProvider<HealthPath> path) {
        return new HealthRoute(ingest, breakingStore)
                .at(path.getIfAvailable(() -> HealthPath.DEFAULT).value());
    }

    @Bean
    HealthIndicator ingestHealthIndicator(Ingest ingest, BreakingStore breakingStore) {
        return new HealthRoute(ingest, breakingStore);
    }
}
