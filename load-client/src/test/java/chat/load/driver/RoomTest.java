package chat.load.driver;

import static org.assertj.core.api.Assertions.assertThat;

import chat.load.dialect.Dialects;
import chat.load.plan.Backoff;
import chat.load.plan.Guests;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Latencies.Metric;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Stored positions of a room from its members' frames. Opens no connection. */
class RoomTest {
    private final Sockets sockets = new Sockets(List.of(ServerUrl.parse("ws://127.0.0.1:1")), 1);
    private final Counters counters = new Counters();
    private final RunState run = new RunState(
            PlanBuilder.of(1, 2, 5).plan(), Dialects.confab(), new RunIds(0, 0), sockets, counters, Backoff.DEFAULT);
    private final Loop loop = new Loop(sockets.nextLoop(), Dialects.confab(), null);
    private final Group group = new Group(run, loop, 0);
    private final Room room = group.rooms.getFirst();
    private final Client one = new Client(group, 0, Guests.Kind.NONE, 0);
    private final Client other = new Client(group, 1, Guests.Kind.NONE, 1);

    RoomTest() throws SSLException {
        for (int number = 0; number < 10; number++) room.ids.sent(number, 1);
    }

    @AfterEach
    void close() {
        sockets.close();
    }

    @Test
    void textsReceivedByAllAreStoredOnceTheirPositionIs() {
        assertThat(room.isStored()).isTrue();
        for (Client client : List.of(one, other)) {
            hears(client, 10, 0, 1);
            hears(client, 20, 2);
        }
        assertThat(room.isStored()).isFalse();
        room.storedThrough(19, 1_000_000);
        assertThat(room.isStored()).isFalse();
        assertThat(rowLatencies()).isEqualTo(2);
        room.storedThrough(20, 2_000_000);
        assertThat(room.isStored()).isTrue();
        assertThat(rowLatencies()).isEqualTo(3);
    }

    @Test
    void portionsOfOtherSizesChangeNothing() {
        hears(one, 10, 0);
        hears(other, 30, 0, 1, 2);
        hears(one, 20, 1);
        hears(one, 30, 2);
        room.storedThrough(30, 1_000_000);
        assertThat(room.isStored()).isTrue();
        assertThat(rowLatencies()).isEqualTo(3);
    }

    @Test
    void aMemberThatSawSomethingElseDoesNotHideWhatOthersReceiveAfterIt() {
        hears(one, 10, 0);
        hears(other, 10, 0);
        // A duplicate: it has a list of its own after this. It is the first to receive the next one.
        hears(one, 20, 0);
        hears(one, 30, 1);
        hears(other, 30, 1);
        room.storedThrough(30, 1_000_000);
        assertThat(room.isStored()).isTrue();
        assertThat(rowLatencies()).isEqualTo(2);
    }

    @Test
    void theSameFrameIsReadOnce() {
        hears(one, 10, 0, 1);
        hears(other, 10, 0, 1);
        assertThat(counters.frames.sum()).isEqualTo(2);
        assertThat(counters.copies.sum()).isEqualTo(1);
        assertThat(counters.newDeliveries.sum()).isEqualTo(4);
        assertThat(run.violations.examples()).isEmpty();
    }

    @Test
    void aPositionThatDoesNotAscendIsAViolation() {
        hears(one, 20, 0);
        hears(one, 20, 1);
        assertThat(run.violations.examples())
                .singleElement()
                .asString()
                .contains("received a frame at 20 after one at 20");
    }

    @Test
    void aTextToldAtTwoPositionsIsAViolation() {
        hears(one, 20, 0);
        hears(other, 30, 0);
        assertThat(run.violations.examples())
                .singleElement()
                .asString()
                .contains("TEXT 0 of user 0", "was told at 20 and at 30");
    }

    @Test
    void malformedFrameIsAViolationAndLeaksNoBuffer() {
        ByteBuf nonsense = Unpooled.copiedBuffer("{\"type\":", StandardCharsets.US_ASCII);
        one.frame(nonsense);
        nonsense.release();
        assertThat(nonsense.refCnt()).isZero();
        assertThat(run.violations.examples())
                .singleElement()
                .asString()
                .contains("received a frame that can't be read");
        hears(one, 20, 0);
        assertThat(counters.deliveries.sum()).isEqualTo(1);
    }

    private long rowLatencies() {
        return loop.latencies().of(Metric.ROW).getTotalCount();
    }

    private void hears(Client client, long position, int... numbers) {
        String messages = IntStream.of(numbers)
                .mapToObj(number -> "{\"messageType\":\"TEXT\",\"messageId\":\"" + room.ids.id(number) + "\"}")
                .collect(Collectors.joining(","));
        ByteBuf frame = Unpooled.copiedBuffer(
                "{\"type\":\"MESSAGES\",\"roomId\":\"" + room.roomId + "\",\"position\":\"" + position
                        + "\",\"messages\":[" + messages + "]}",
                StandardCharsets.US_ASCII);
        client.frame(frame);
        frame.release();
    }
}
