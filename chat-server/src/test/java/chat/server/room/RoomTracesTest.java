package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import chat.kit.tracing.Step;
import chat.kit.tracing.TracedMessage;
import chat.kit.tracing.Traces;
import chat.log.InMemoryRoomLog;
import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.protocol.ClientFrame.Since;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Traces of messages from two servers on one log. */
class RoomTracesTest {
    private static final RoomId ROOM = new RoomId("room");

    /** Takes in every message whose id does not say otherwise. */
    private static final class Told implements Traces {
        static final UUID NOT_TRACED = new UUID(1, 2);

        final List<Step> steps = new CopyOnWriteArrayList<>();

        @Override
        public boolean includes(long idHigh, long idLow) {
            return idHigh != NOT_TRACED.getMostSignificantBits();
        }

        @Override
        public void tell(Step step) {
            steps.add(step);
        }

        <S extends Step> List<S> all(Class<S> kind) {
            return steps.stream().filter(kind::isInstance).map(kind::cast).toList();
        }
    }

    private final Clock clock = Clock.systemUTC();
    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 16 << 20, clock);
    private final Told toldHere = new Told();
    private final Told toldThere = new Told();
    private final Rooms here = server("here", toldHere);
    private final Rooms there = server("there", toldThere);
    private final FakeMember anna = new FakeMember(here, clock, ROOM, 1, new Since.Now()).joined();
    private final FakeMember bert = new FakeMember(there, clock, ROOM, 2, new Since.Now()).joined();

    private Rooms server(String id, Traces traces) {
        RoomSettings settings = new TestRoomSettings().serverId(id).settings();
        return new Rooms(
                log,
                settings,
                LogSettings.DEFAULT,
                clock,
                System::nanoTime,
                new NoHistory(),
                new LogCounters(),
                new RoomCounters(),
                traces,
                () -> false);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        log.close();
    }

    @Test
    void intakeServerTracesTheFrameAndEachServerItsDelivery() {
        UUID id = anna.text("hi");
        bert.awaitHeard("hi");
        anna.await("the frame's end", () -> toldHere.steps.size() == 2);
        bert.await("the delivery's end", () -> toldThere.steps.size() == 1);

        Step.Frame frame = toldHere.all(Step.Frame.class).getFirst();
        TracedMessage message = frame.message();
        assertThat(new UUID(message.idHigh(), message.idLow())).isEqualTo(id);
        assertThat(message.room()).isEqualTo("room");
        assertThat(message.position()).isEqualTo(bert.lastPosition());
        assertThat(frame.takenInMillis()).isCloseTo(clock.millis(), within(60_000L));
        assertThat(frame.published()).isLessThanOrEqualTo(frame.read());
        assertThat(frame.read()).isLessThanOrEqualTo(frame.written());
        // Another program says the same of the message, without having been told.
        assertThat(toldThere.all(Step.Delivery.class)).singleElement().satisfies(delivery -> {
            assertThat(delivery.message()).isEqualTo(message);
            assertThat(delivery.members()).isEqualTo(1);
        });
        assertThat(toldHere.all(Step.Delivery.class)).hasSize(1);
    }

    @Test
    void untracedMessagesJoinsAndDuplicatesAreNotTraced() {
        anna.text("plain", Told.NOT_TRACED);
        bert.awaitHeard("plain");
        UUID id = anna.text("once");
        bert.awaitHeard("once");
        anna.text("once", id);
        anna.await(
                "both ACKs",
                () -> anna.acks().stream().filter(id.toString()::equals).count() == 2);
        anna.said("last");
        anna.await("two frames", () -> toldHere.all(Step.Frame.class).size() == 2);
        assertThat(toldHere.all(Step.Frame.class))
                .extracting(frame -> frame.message().idLow())
                .startsWith(id.getLeastSignificantBits());
    }

    @Test
    void messageBesideAJoinIsTraced() {
        FakeMember late = new FakeMember(here, clock, ROOM, 3, new Since.Now());
        here.whenRoom(ROOM, () -> {
            late.join();
            anna.text("together");
        });
        late.awaitHeard("together");
        anna.await("the frame's end", () -> toldHere.all(Step.Frame.class).size() == 1);
    }

    @Test
    void serverWithoutMembersTracesNothing() {
        UUID left = bert.leave();
        bert.await("ACK", () -> bert.acks().contains(left.toString()));
        anna.said("alone");
        anna.await("the frame's end", () -> toldHere.all(Step.Frame.class).size() == 1);
        FakeMember next = new FakeMember(there, clock, ROOM, 4, new Since.Now()).joined();
        anna.text("again");
        next.awaitHeard("again");
        next.await("the delivery's end", () -> toldThere.steps.size() == 1);
    }
}
