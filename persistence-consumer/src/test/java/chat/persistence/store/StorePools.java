package chat.persistence.store;

import chat.nodes.PostgresNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;

/** Pools for tests of this package. */
final class StorePools {
    private StorePools() {}

    static Pools of(PostgresNode node) {
        return new Pools(
                new PostgresProperties(
                        "postgres://" + node.user() + ":" + node.password() + "@127.0.0.1:" + node.port() + "/confab",
                        "",
                        "",
                        "",
                        "",
                        "",
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(10),
                        new PostgresProperties.Reading(1, Duration.ofSeconds(5)),
                        new PostgresProperties.Aggregating(Duration.ofMinutes(1))),
                3,
                new SimpleMeterRegistry());
    }
}
