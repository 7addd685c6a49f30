package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import chat.server.presence.PresenceSettings;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that reads ahead knows the recent messages before the first member joins. */
class ReadAheadTest {
    private static final int PARTITIONS = 4;
    /** Without steps of the clock this wait never ends; shorter than the silence timeout, which would end it, too. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final RoomId ROOM = new RoomId("room");

    private final TestServers servers = new TestServers(PARTITIONS);
    private final SteppedClock clock = servers.clock;
    private final BreakableLog log = servers.log;

    private Rooms server(String id) {
        return server(id, Duration.ZERO);
    }

    private Rooms server(String id, Duration grace, Integer... kept) {
        RoomSettings settings = new TestRoomSettings()
                .serverId(id)
                .partitionGrace(grace)
                .keptPartitions(kept)
                .presence(new PresenceSettings(200, 20, Duration.ofSeconds(1), 1000, PATIENCE, 100))
                .settings();
        return servers.start(settings, new NoHistory(), new RoomCounters());
    }

    @AfterEach
    void close() {
        servers.close();
    }

    @Test
    void memberAfterReadAheadCausesNoRead() throws Exception {
        FakeMember anna = new FakeMember(server("elsewhere"), clock, ROOM, 1, new Since.Now()).joined();
        UUID said = anna.text("said before");
        anna.await("ACK", () -> anna.acks().contains(said.toString()));

        Rooms here = server("here");
        here.readAhead().get(10, TimeUnit.SECONDS);
        assertThat(here.partitionsRead()).isEqualTo(PARTITIONS);
        int tails = log.tails();

        FakeMember again = new FakeMember(here, clock, ROOM, 1, new Since.Resume(anna.lastPosition() - 1)).joined();
        again.awaitHeard("said before");
        again.text("said before", said);
        again.await("the ACK of what was said before", () -> again.acks().contains(said.toString()));
        assertThat(log.tails()).isEqualTo(tails);
        assertThat(again.heard()).filteredOn("said before"::equals).hasSize(1);
    }

    @Test
    void itIsDoneWhenAllIsKnownAndNotBefore() {
        log.hold(); // its HELLOs are not written
        CompletableFuture<Void> done = server("here").readAhead();
        Awaitility.await().until(() -> log.openTails() == PARTITIONS);
        assertThat(done).isNotDone();
        log.mend();
        Awaitility.await().until(done::isDone);
    }

    /** A server that has stopped without a word is not waited for longer than JOINs would be. */
    @Test
    void departedMemberDoesNotDelayReadAhead() {
        Rooms gone = server("gone");
        new FakeMember(gone, clock, ROOM, 1, new Since.Now()).joined();
        gone.close();
        CompletableFuture<Void> done = server("here").readAhead();
        Awaitility.await().during(Duration.ofMillis(600)).until(() -> !done.isDone());
        clock.step(PATIENCE);
        Awaitility.await().until(done::isDone);
    }

    @Test
    void noneIsGivenUpBeforeAllHaveBeenRead() {
        log.hold();
        Rooms here = server("here", Duration.ofNanos(1));
        CompletableFuture<Void> done = here.readAhead();
        Awaitility.await().during(Duration.ofMillis(600)).until(() -> here.partitionsRead() == PARTITIONS);
        log.mend();
        Awaitility.await().until(done::isDone);
        Awaitility.await().until(() -> here.partitionsRead() == 0);
    }

    /** So a standby server keeps reading the partition. */
    @Test
    void whereSomeAreToBeKeptThoseAreReadAndNotGivenUp() throws Exception {
        int partition = ROOM.partition(PARTITIONS);
        Rooms here = server("here", Duration.ofNanos(1), partition, (partition + 1) % PARTITIONS);
        here.readAhead().get(10, TimeUnit.SECONDS);
        assertThat(here.partitionsRead()).isEqualTo(2);

        FakeMember anna = new FakeMember(server("elsewhere"), clock, ROOM, 1, new Since.Now()).joined();
        UUID said = anna.text("said there");
        anna.await("ACK", () -> anna.acks().contains(said.toString()));
        int tails = log.tails();
        FakeMember moved = new FakeMember(here, clock, ROOM, 2, new Since.Resume(anna.lastPosition() - 1)).joined();
        moved.awaitHeard("said there");
        UUID left = moved.leave();
        moved.await("ACK", () -> moved.acks().contains(left.toString()));
        Awaitility.await().during(Duration.ofMillis(600)).until(() -> here.partitionsRead() == 2);
        assertThat(log.tails()).isEqualTo(tails);
    }

    @Test
    void whereTheRoomsAreClosedItIsCancelled() {
        log.hold();
        Rooms here = server("here");
        CompletableFuture<Void> done = here.readAhead();
        here.close();
        assertThat(done).isCancelled();
        assertThat(here.readAhead()).isCancelled();
    }

    @Test
    void secondReadAheadCompletesImmediately() throws Exception {
        Rooms here = server("here");
        here.readAhead().get(10, TimeUnit.SECONDS);
        int tails = log.tails();
        assertThat(here.readAhead()).isCompleted();
        assertThat(log.tails()).isEqualTo(tails);
    }
}
