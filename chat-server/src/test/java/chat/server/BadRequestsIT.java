package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.testing.BadRequest;
import chat.testing.LogWatch;
import java.io.IOException;
import java.time.Clock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that are malformed, for other paths, or invalid upgrades receive a status below 500 without internal details.
 * Two members that chat at the same time are not affected, and nothing is logged.
 */
class BadRequestsIT {
    private static InMemoryRoomLog log;
    private static TestServer server;
    private static Bystanders bystanders;
    private static LogWatch complaints;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        // Requests that never end, such as those cut off, end soon.
        server = TestServer.start(log, "server.netty.idle-timeout=1s");
        bystanders = new Bystanders(server, "room");
        complaints = LogWatch.begin();
    }

    @AfterAll
    static void nobodyElseHasNoticed() throws InterruptedException {
        try (LogWatch watch = complaints) {
            bystanders.assertUndisturbed();
            server.close();
            log.close();
            watch.assertQuiet();
        }
    }

    static Stream<BadRequest> all() {
        return BadRequest.all(server.port());
    }

    @Test
    void everyLineOfTheTableIsACaseOfItsOwn() {
        assertThat(all().map(BadRequest::name)).hasSizeGreaterThanOrEqualTo(100).doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("all")
    void respondsAsTheTableSays(BadRequest request) throws IOException {
        request.assertAnswered(server.port());
    }
}
