package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.server.admission.ConnectionLimit;
import chat.server.admission.HandshakeLimit;
import chat.server.room.Frames;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.session.EventLoopQueues;
import chat.server.session.OpenConnections;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.springframework.context.ApplicationContext;

/** Asserts that a server has closed everything at the end of a test. */
final class Leftovers {
    /** Frames have one memory for all servers of this process: only without servers it must be empty. */
    private static final AtomicInteger servers = new AtomicInteger();

    private final CountedReaders readers;
    private final Rooms rooms;
    private final RoomCounters roomCounters;
    private final Sessions sessions;
    private final SessionCounters sessionCounters;
    private final ConnectionLimit places;
    private final HandshakeLimit handshakes;
    private final OpenConnections connections;
    private final EventLoopQueues queues;
    private boolean counted = true;
    private boolean membershipsExpected;

    /** Of a server that has just been started. */
    Leftovers(ApplicationContext server) {
        readers = server.getBean(CountedReaders.class);
        rooms = server.getBean(Rooms.class);
        roomCounters = server.getBean(RoomCounters.class);
        sessions = server.getBean(Sessions.class);
        sessionCounters = server.getBean(SessionCounters.class);
        places = server.getBean(ConnectionLimit.class);
        handshakes = server.getBean(HandshakeLimit.class);
        connections = server.getBean(OpenConnections.class);
        queues = server.getBean(EventLoopQueues.class);
        servers.incrementAndGet();
    }

    /** Of a server whose rooms end before those who are in them. */
    void expectMemberships() {
        membershipsExpected = true;
    }

    /** Before the server is closed, which would end them, too: of temporary readers of the log. */
    void assertOnlyPartitionsAreRead() {
        Awaitility.await()
                .untilAsserted(() -> assertThat(readers.open())
                        .as("readers of the log")
                        .isLessThanOrEqualTo(rooms.partitionsRead()));
    }

    /** Of a closed server. */
    void assertNone() {
        if (counted) servers.decrementAndGet();
        counted = false;
        Awaitility.await().untilAsserted(() -> {
            assertThat(readers.open()).as("readers of the log").isZero();
            assertThat(sessions.count()).as("sessions").isZero();
            assertThat(sessionCounters.ended.sum()).as("sessions that ended").isEqualTo(sessionCounters.opened.sum());
            assertThat(places.current()).as("places taken").isZero();
            assertThat(handshakes.current()).as("handshakes").isZero();
            assertThat(connections.count()).as("connections").isZero();
            if (!membershipsExpected)
                assertThat(roomCounters.memberships.sum()).as("memberships").isZero();
            assertThat(queues.bytes()).as("bytes between rooms and sockets").isZero();
            if (servers.get() == 0)
                assertThat(Frames.bytesInUse()).as("bytes of frames").isZero();
        });
    }
}
