package chat.load.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import chat.load.plan.Arrivals.Stages;
import chat.load.plan.Arrivals.Stages.Stage;
import chat.protocol.RoomId;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PlanTest {
    private static final Numbering NUMBERING = new Numbering(20, 50, 50);
    private static final RoomId ROOM = new RoomId("r1");

    @Test
    void everyTextHasItsNumber() {
        Set<Integer> numbers = new HashSet<>();
        for (int room = 0; room < 20; room++)
            for (int user = 0; user < 50; user++)
                for (int sequence = 0; sequence < 50; sequence++) {
                    int inRoom = NUMBERING.inRoom(user, sequence);
                    assertThat(NUMBERING.userOf(inRoom)).isEqualTo(user);
                    assertThat(NUMBERING.sequenceOf(inRoom)).isEqualTo(sequence);
                    numbers.add(NUMBERING.global(room, inRoom));
                }
        assertThat(numbers).hasSize(NUMBERING.total()).allMatch(n -> n >= 0 && n < NUMBERING.total());
    }

    @Test
    void membersHaveDistinctUserIdsThatServersAccept() {
        Set<String> ids = new HashSet<>();
        Users users = new Users(NUMBERING, 7);
        for (int room = 0; room < 20; room++) for (int user = 0; user < 50; user++) ids.add(users.id(room, user));
        assertThat(ids).hasSize(1000);
        Set<String> all = new HashSet<>();
        Users many = new Users(new Numbering(100, 1000, 1), Long.MIN_VALUE);
        for (int room = 0; room < 100; room++) for (int user = 0; user < 1000; user++) all.add(many.id(room, user));
        assertThat(all).hasSize(100_000).contains("1", "100000");
    }

    @Test
    void anotherRunHasOtherUsers() {
        assertThat(new Users(NUMBERING, 8).id(3, 4)).isNotEqualTo(new Users(NUMBERING, 9).id(3, 4));
        assertThat(new Users(NUMBERING, 8).id(3, 4)).isEqualTo(new Users(NUMBERING, 8).id(3, 4));
    }

    @Test
    void returnsAndTheLastLeaveAreTheTurnover() {
        assertThat(new Traffic(true, 100, 50, 0.0556, 0).returns(450)).isEqualTo(24);
        assertThat(new Traffic(true, 100, 50, 0.0556, 0).returns(900)).isEqualTo(49);
        assertThat(Traffic.ofTexts(100).returns(450)).isZero();
        assertThat(new Traffic(true, 100, 50, 0.001, 0).returns(100)).isZero();
    }

    @Test
    void roomsAreOfTheRunOrNumberedFrom1() {
        RunIds ids = RunIds.random(0);
        assertThat(Traffic.ofTexts(100).roomName(ids, 0)).isEqualTo(ids.runName() + "-0");
        assertThat(new Traffic(true, 100, 0, 0, 0).roomName(ids, 19)).isEqualTo("20");
    }

    @Test
    void planWithTooManyMessagesIsRejected() {
        assertThatThrownBy(() -> new Numbering(100_000, 1000, 100)).hasMessageContaining("at most 1,000,000,000");
        assertThatThrownBy(() -> new Numbering(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Numbering(0, 1, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIdIsAUuidOfVersion7ThatTellsItsNumber() {
        RunIds ids = RunIds.random(1_795_000_000_123L);
        for (int number : new int[] {0, 1, 4711, Integer.MAX_VALUE}) {
            UUID id = ids.id(number, 77);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
            assertThat(id.getMostSignificantBits() >>> 16).isEqualTo(1_795_000_000_200L);
            assertThat(ids.number(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                    .isEqualTo(number);
        }
    }

    @Test
    void idsOfOthersHaveNoNumber() {
        RunIds ids = new RunIds(1_795_000_000_123L, 1);
        UUID otherLow = new RunIds(1_795_000_000_123L, 2).id(5, 0);
        UUID otherHigh = new RunIds(1_795_000_000_123L, 1L | (1L << 41)).id(5, 0);
        for (UUID id : new UUID[] {otherLow, otherHigh, UUID.randomUUID(), new UUID(0, 0)})
            assertThat(ids.number(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                    .isEqualTo(-1);
    }

    @Test
    void roomNamesAreValidAndOfTheirRun() {
        RunIds one = new RunIds(1_795_000_000_123L, 7L << 30);
        RunIds other = new RunIds(1_795_000_000_123L, 8L << 30);
        assertThat(RoomId.isValid(one.roomName(19))).isTrue();
        assertThat(one.roomName(3)).endsWith("-3").isNotEqualTo(other.roomName(3));
    }

    @Test
    void placementSpreadsMembersOrKeepsRoomsTogether() {
        Set<Integer> spread = new HashSet<>();
        Set<Integer> together = new HashSet<>();
        for (int user = 0; user < 4; user++) {
            spread.add(Placement.SPREAD.first(1, user, ROOM, 4, 2));
            together.add(Placement.ROOM.first(1, user, ROOM, 4, 2));
        }
        assertThat(spread).containsExactlyInAnyOrder(0, 1);
        assertThat(together).containsExactly(1);
    }

    @Test
    void placementByPartitionIsThatOfTheProxy() {
        for (int i = 0; i < 100; i++) {
            RoomId room = new RoomId("r" + i);
            int partition = room.partition(8);
            assertThat(Placement.PARTITION.first(i, i, room, 8, 3)).isEqualTo(partition % 3);
        }
    }

    @Test
    void withMoreServersThanPartitionsARoomStillHasOneAndAServerOnePartition() {
        Map<Integer, Set<Integer>> partitions = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            RoomId room = new RoomId("r" + i);
            int server = Placement.PARTITION.first(i, 0, room, 2, 4);
            assertThat(Placement.PARTITION.first(i, 1, room, 2, 4)).isEqualTo(server);
            partitions.computeIfAbsent(server, unused -> new HashSet<>()).add(room.partition(2));
        }
        assertThat(partitions)
                .hasSize(4)
                .allSatisfy((server, read) -> assertThat(read).hasSize(1));
    }

    @Test
    void textsNameTheirPlaceAndHaveTheAskedLength() {
        Texts texts = new Texts(new Fixture().plan());
        String sender = new Users(NUMBERING, 1).name(3, 1);
        for (int n = 0; n < NUMBERING.perRoom(); n++)
            assertThat(texts.text(3, n))
                    .hasSize(100)
                    .startsWith("room 3 from user")
                    .matches("[a-z0-9 ]+");
        assertThat(texts.text(3, 52)).startsWith("room 3 from " + sender + " no 2 ");
        assertThat(texts.text(3, 52)).isEqualTo(new Texts(new Fixture().plan()).text(3, 52));
        assertThat(new Texts(new Fixture().traffic(Traffic.ofTexts(1)).plan()).text(3, 52))
                .isEqualTo("room 3 from " + sender + " no 2");
        assertThat(new Texts(new Fixture().traffic(Traffic.ofTexts(500)).plan()).text(3, 511))
                .hasSize(500);
    }

    @Test
    void textsOfAPoolAreAllUsedAndOfTheSameLength() {
        Texts texts = new Texts(
                new Fixture().traffic(new Traffic(true, 100, 50, 0, 0)).plan());
        Set<String> used = new HashSet<>();
        for (int n = 0; n < NUMBERING.perRoom(); n++) used.add(texts.text(3, n));
        assertThat(used).hasSize(50).allMatch(text -> text.length() == 100);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.7, 20, 100, 333.3, 1_000, 250_000})
    void inAnOpenLoopAllMembersOfAllRoomsTakeTurnsAtOnePace(double perSecond) {
        Numbering size = new Numbering(3, 7, 40);
        Pacing.Rate rate = new Pacing.Rate(perSecond);
        Plan plan = new Fixture().numbering(size).sends(rate).plan();
        long[] due = new long[size.total()];
        int count = 0;
        for (int room = 0; room < size.rooms(); room++)
            for (int user = 0; user < size.users(); user++)
                for (int sequence = 0; sequence < size.messages(); sequence++)
                    due[count++] = plan.dueNanos(rate, size.member(room, user), sequence);
        Arrays.sort(due);
        assertThat(due[0]).isZero();
        for (int i = 0; i < due.length; i++) assertThat((double) due[i]).isCloseTo(i * 1e9 / perSecond, within(1.0));
        assertThat(LongStream.of(due).distinct().count()).isEqualTo(due.length);
    }

    @Test
    void inAnOpenLoopAMemberWaitsForAllOthersBetweenTwoOfItsOwn() {
        Pacing.Rate rate = new Pacing.Rate(1000);
        Plan plan = new Fixture().numbering(new Numbering(2, 5, 3)).sends(rate).plan();
        assertThat(plan.dueNanos(rate, 4, 0)).isEqualTo(4_000_000);
        assertThat(plan.dueNanos(rate, 4, 1)).isEqualTo(14_000_000);
        assertThat(plan.dueNanos(rate, 4, 2)).isEqualTo(24_000_000);
    }

    @Test
    void theLastOfABillionIsStillDueInItsTurn() {
        Pacing.Rate rate = new Pacing.Rate(1e6);
        Plan plan = new Fixture()
                .numbering(new Numbering(1000, 1000, 1000))
                .sends(rate)
                .plan();
        assertThat(plan.dueNanos(rate, 999_999, 999)).isEqualTo(999_999_999_000L);
    }

    @Test
    void roomsComeInGroupsThatShareTheirClients() {
        Plan plan = new Fixture()
                .numbering(new Numbering(20, 50, 1))
                .roomsPerClient(5)
                .plan();
        assertThat(plan.groups()).isEqualTo(4);
        assertThat(plan.clients()).isEqualTo(200);
        assertThat(new Fixture().plan().clients()).isEqualTo(1000);
    }

    @Test
    void onlyAPlanWithoutADurationHasToSendAll() {
        assertThat(new Fixture().plan().sendsAll()).isTrue();
        assertThat(new Fixture().duration(Duration.ofSeconds(1)).plan().sendsAll())
                .isFalse();
    }

    @Test
    void earlierRunKeepsOnlySizeAndPace() {
        Plan plan = new Fixture()
                .arrivals(new Stages(List.of(new Stage(Duration.ofSeconds(1), 5))))
                .guests(Guests.visitors(1, Duration.ofSeconds(1), Duration.ofSeconds(9)))
                .duration(Duration.ofSeconds(9))
                .limit(new Plan.Limit(5, 0, 0.01))
                .traffic(new Traffic(true, 200, 50, 0.5, 0.1))
                .roomsPerClient(5)
                .plan();
        Plan before = plan.with("warm-up", new Numbering(8, 4, 10), new Pacing.Window(2), null);
        assertThat(before.scenario()).isEqualTo("warm-up");
        assertThat(before.numbering()).isEqualTo(new Numbering(8, 4, 10));
        assertThat(before.sends()).isEqualTo(new Pacing.Window(2));
        assertThat(before.arrivals()).isEqualTo(Arrivals.Ramp.DEFAULT);
        assertThat(before.guests()).isEqualTo(Guests.NONE);
        assertThat(before.traffic()).isEqualTo(Traffic.ofTexts(200));
        assertThat(before.limit()).isNull();
        assertThat(before.duration()).isNull();
        // 8 rooms can't be dealt out by 5.
        assertThat(before.roomsPerClient()).isEqualTo(1);
        assertThat(plan.with("x", new Numbering(10, 4, 10), new Pacing.Window(2), null)
                        .roomsPerClient())
                .isEqualTo(5);
    }

    @Test
    void memoryGrowsWithTextsAndWithConnections() {
        Plan small = new Fixture().numbering(new Numbering(1, 10, 10)).plan();
        Plan texts = new Fixture().numbering(new Numbering(1, 10, 1_000_010)).plan();
        assertThat(texts.memoryBytes() - small.memoryBytes()).isEqualTo(29L * 10_000_000);
        Plan visited = new Fixture()
                .numbering(new Numbering(1, 10, 10))
                .guests(Guests.visitors(1000, Duration.ofSeconds(1), Duration.ofSeconds(9)))
                .duration(Duration.ofSeconds(9))
                .plan();
        assertThat(visited.memoryBytes() - small.memoryBytes()).isEqualTo(6_000L * 9_000);
        assertThat(new Fixture()
                        .numbering(new Numbering(1000, 1000, 1000))
                        .plan()
                        .memoryBytes())
                .isGreaterThan(Integer.MAX_VALUE);
    }

    @Test
    void aPlanRefusesNonsense() {
        refused(new Fixture().timeout(Duration.ZERO), "timeout");
        refused(new Fixture().roomsPerClient(0), "rooms per client must be 1 to 128");
        refused(new Fixture().roomsPerClient(129), "rooms per client must be 1 to 128");
        refused(new Fixture().roomsPerClient(3), "rooms (20) must be a multiple of the rooms per client (3)");
        refused(new Fixture().roomsPerClient(40), "rooms (20) must be a multiple of the rooms per client (40)");
        refused(new Fixture().partitions(0), "partitions");
        refused(new Fixture().partitions(65), "partitions");
        refused(new Fixture().retries(-1), "retries");
        refused(new Fixture().duration(Duration.ZERO), "duration must be above 0");
        refused(new Fixture().duration(Duration.ofSeconds(-5)), "duration must be above 0");
    }

    @Test
    void trafficRefusesNonsense() {
        for (int payload : new int[] {0, 501}) refused(payload, 0, 0, 0, "payload");
        for (int texts : new int[] {-1, 100_001}) refused(100, texts, 0, 0, "texts");
        for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
            refused(100, 0, share, 0, "turnover");
            refused(100, 0, 0, share, "duplicates");
        }
    }

    private static void refused(int payload, int texts, double turnover, double duplicates, String reason) {
        assertThatThrownBy(() -> new Traffic(false, payload, texts, turnover, duplicates))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void endlessPlanNeedsADuration() {
        Arrivals stages = new Stages(List.of(new Stage(Duration.ofSeconds(1), 5)));
        Guests visitors = Guests.visitors(1, Duration.ofSeconds(1), Duration.ofSeconds(9));
        Plan.Limit limit = new Plan.Limit(5, 0, 0.01);
        refused(new Fixture().arrivals(stages), "needs a duration");
        refused(new Fixture().guests(visitors), "needs a duration");
        refused(new Fixture().limit(limit), "needs a duration");
        Plan all = new Fixture()
                .arrivals(stages)
                .guests(visitors)
                .limit(limit)
                .duration(Duration.ofSeconds(9))
                .plan();
        assertThat(all.duration()).isEqualTo(Duration.ofSeconds(9));
    }

    @ParameterizedTest
    @EnumSource(
            value = Guests.Kind.class,
            names = {"SLOW_READERS", "SILENT"})
    void stagesHaveNoPlaceForClientsThatMisbehave(Guests.Kind kind) {
        refused(
                new Fixture()
                        .arrivals(new Stages(List.of(new Stage(Duration.ofSeconds(1), 5))))
                        .guests(new Guests(kind, 1, 0, Duration.ZERO, Duration.ofSeconds(1)))
                        .duration(Duration.ofSeconds(1)),
                "no place in stages");
    }

    @Test
    void aLimitRefusesNonsense() {
        assertThatThrownBy(() -> new Plan.Limit(-1, 0, 0.01)).hasMessageContaining("a limit needs");
        assertThatThrownBy(() -> new Plan.Limit(Double.NaN, 0, 0.01)).hasMessageContaining("a limit needs");
        assertThatThrownBy(() -> new Plan.Limit(5, -1, 0.01)).hasMessageContaining("a limit needs");
        assertThatThrownBy(() -> new Plan.Limit(5, 0, 0)).hasMessageContaining("a limit needs");
    }

    @Test
    void membersAndGuestsOfARoomHaveDistinctUserIds() {
        Numbering size = new Numbering(20, 50, 1);
        Set<String> ids = new HashSet<>();
        for (int user = 0; user < 50 + 300; user++) ids.add(new Users(size, 1).id(7, user));
        assertThat(ids).hasSize(350);
    }

    @Test
    void aCrowdNeedsTimeBeforeMeanwhileAndAfter() {
        Crowd crowd = new Crowd(10, Duration.ofSeconds(6), Duration.ofSeconds(4), 0.8, Duration.ofSeconds(3));
        refused(new Fixture().crowd(crowd), "needs a duration of at least 13 s");
        refused(new Fixture().crowd(crowd).duration(Duration.ofSeconds(12)), "needs a duration of at least 13 s");
        assertThat(new Fixture()
                        .crowd(crowd)
                        .duration(Duration.ofSeconds(13))
                        .plan()
                        .crowd())
                .isEqualTo(crowd);
        Duration short3 = Duration.ofMillis(2999);
        Duration long3 = Duration.ofSeconds(3);
        assertThatThrownBy(() -> new Crowd(0, long3, long3, 0.8, long3)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> new Crowd(1, short3, long3, 0.8, long3)).hasMessageContaining("3 seconds");
        assertThatThrownBy(() -> new Crowd(1, long3, short3, 0.8, long3)).hasMessageContaining("3");
        assertThatThrownBy(() -> new Crowd(1, long3, long3, 1.1, long3)).hasMessageContaining("at most 1");
        assertThatThrownBy(() -> new Crowd(1, long3, long3, 0.8, Duration.ZERO)).hasMessageContaining("1 second");
    }

    private static void refused(Fixture fixture, String reason) {
        assertThatThrownBy(fixture::plan)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    /** A good plan, but for what a test sets. */
    private static final class Fixture {
        private Numbering numbering = NUMBERING;
        private int roomsPerClient = 1;
        private Traffic traffic = Traffic.ofTexts(100);
        private Pacing sends = new Pacing.Window(1);
        private Arrivals arrivals = Arrivals.Ramp.DEFAULT;
        private Guests guests = Guests.NONE;
        private @Nullable Crowd crowd;
        private int retries = 5;
        private @Nullable Duration duration;
        private Plan.@Nullable Limit limit;
        private int partitions = 4;
        private Duration timeout = Duration.ofSeconds(1);

        Fixture numbering(Numbering size) {
            numbering = size;
            return this;
        }

        Fixture roomsPerClient(int rooms) {
            roomsPerClient = rooms;
            return this;
        }

        Fixture traffic(Traffic what) {
            traffic = what;
            return this;
        }

        Fixture sends(Pacing pace) {
            sends = pace;
            return this;
        }

        Fixture arrivals(Arrivals how) {
            arrivals = how;
            return this;
        }

        Fixture guests(Guests who) {
            guests = who;
            return this;
        }

        Fixture crowd(Crowd who) {
            crowd = who;
            return this;
        }

        Fixture retries(int times) {
            retries = times;
            return this;
        }

        Fixture duration(Duration time) {
            duration = time;
            return this;
        }

        Fixture limit(Plan.Limit kept) {
            limit = kept;
            return this;
        }

        Fixture partitions(int ofTheLog) {
            partitions = ofTheLog;
            return this;
        }

        Fixture timeout(Duration time) {
            timeout = time;
            return this;
        }

        Plan plan() {
            return new Plan(
                    "fanout",
                    numbering,
                    roomsPerClient,
                    traffic,
                    sends,
                    arrivals,
                    guests,
                    crowd,
                    false,
                    retries,
                    duration,
                    limit,
                    Placement.SPREAD,
                    partitions,
                    1,
                    timeout);
        }
    }
}
