package chat.persistence;

import chat.log.RoomLog;
import chat.persistence.ingest.Ingest;
import chat.persistence.ingest.IngestHealth;
import chat.persistence.ingest.PartitionStatus;
import chat.persistence.store.BreakingStore;
import java.util.List;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/** Reports the consumer's health to load balancers and Actuator. Answers from memory, without querying the database. */
final class HealthRoute implements HealthIndicator {
    private final Ingest ingest;
    private final BreakingStore store;

    HealthRoute(Ingest ingest, BreakingStore store) {
        this.ingest = ingest;
        this.store = store;
    }

    /** @param status UP; OUT_OF_SERVICE until the database has been reached once; DOWN */
    record Answer(
            String status,
            IngestHealth.Database database,
            BreakingStore.State breaker,
            RoomLog.State log,
            List<PartitionStatus> partitions) {}

    RouterFunction<ServerResponse> at(String path) {
        return RouterFunctions.route().GET(path, this::answer).build();
    }

    private Mono<ServerResponse> answer(ServerRequest request) {
        IngestHealth health = ingest.health();
        HttpStatus status = health.isUp() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE;
        return ServerResponse.status(status)
                .contentType(MediaType.APPLICATION_JSON)
                .header("Cache-Control", "no-store")
                .bodyValue(new Answer(
                        status(health).getCode(), health.database(), store.state(), health.log(), health.partitions()));
    }

    @Override
    public Health health() {
        IngestHealth health = ingest.health();
        return Health.status(status(health))
                .withDetail("database", health.database())
                .withDetail("breaker", store.state())
                .withDetail("log", health.log())
                .withDetail("partitions", health.partitions())
                .build();
    }

    private static Status status(IngestHealth health) {
        if (health.isUp()) return Status.UP;
        return health.prepared() ? Status.DOWN : Status.OUT_OF_SERVICE;
    }
}
