package chat.load.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import chat.load.plan.Arrivals.Ramp;
import chat.load.plan.Arrivals.Stages;
import chat.load.plan.Arrivals.Stages.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalsTest {
    private static final long SECOND = 1_000_000_000;
    private static final double NEVER = -1;

    @Test
    void aRampBringsThemOneByOneAndTheyStay() {
        Ramp ramp = new Ramp(new Pacing.Rate(4));
        assertThat(arrivals(ramp, 5)).containsExactly(0.0, 0.25, 0.5, 0.75, 1.0);
        assertThat(departures(ramp, 5)).containsOnly(NEVER);
        assertThat(ramp.end()).isNull();
    }

    @Test
    void aRiseBringsThemEvenlyTheFirstAtItsBeginning() {
        Stages stages = stages("10:5");
        assertThat(arrivals(stages, 6)).containsExactly(0.0, 2.0, 4.0, 6.0, 8.0, NEVER);
        assertThat(departures(stages, 6)).containsOnly(NEVER);
    }

    @Test
    void eachStageHasItsOwnPace() {
        assertThat(arrivals(stages("10:2", "1:4", "8:8"), 8))
                .containsExactly(0.0, 5.0, 10.0, 10.5, 11.0, 13.0, 15.0, 17.0);
    }

    @Test
    void lastClientLeavesFirst() {
        assertThat(departures(stages("1:5", "10:0"), 6)).containsExactly(11.0, 9.0, 7.0, 5.0, 3.0, NEVER);
    }

    @Test
    void aFallEndsAtItsTargetAndTheRestStays() {
        assertThat(departures(stages("1:5", "6:2", "100:2"), 5)).containsExactly(NEVER, NEVER, 7.0, 5.0, 3.0);
    }

    @Test
    void onAPlateauNobodyComesOrGoes() {
        Stages stages = stages("2:2", "50:2", "2:4", "50:4", "4:0");
        assertThat(arrivals(stages, 4)).containsExactly(0.0, 1.0, 52.0, 53.0);
        assertThat(departures(stages, 4)).containsExactly(108.0, 107.0, 106.0, 105.0);
    }

    @Test
    void stagesMayBeginWithNobody() {
        assertThat(arrivals(stages("30:0", "2:2"), 3)).containsExactly(30.0, 31.0, NEVER);
    }

    @Test
    void clientNeededAfterADipStaysThroughIt() {
        Stages stages = stages("4:4", "4:0", "4:2", "4:0");
        assertThat(arrivals(stages, 4)).containsExactly(0.0, 1.0, 2.0, 3.0);
        // 3 and 2 leave in the first fall; 1 and 0 would be back, and leave in the second.
        assertThat(departures(stages, 4)).containsExactly(16.0, 14.0, 6.0, 5.0);
    }

    @Test
    void clientNeededAgainArrivesOnceAndStays() {
        Stages stages = stages("2:2", "2:0", "4:4", "4:4");
        assertThat(arrivals(stages, 4)).containsExactly(0.0, 1.0, 6.0, 7.0);
        assertThat(departures(stages, 4)).containsOnly(NEVER);
    }

    @Test
    void clientBeyondThePeakNeverArrives() {
        Stages stages = stages("3:3", "2:1");
        assertThat(stages.peak()).isEqualTo(3);
        assertThat(stages.arrivesNanos(3)).isEqualTo(Arrivals.NEVER);
        assertThat(stages.leavesNanos(3)).isEqualTo(Arrivals.NEVER);
        assertThat(stages.arrivesNanos(Integer.MAX_VALUE)).isEqualTo(Arrivals.NEVER);
    }

    @Test
    void stagesEndWithTheLastOne() {
        assertThat(stages("30:5", "60:5", "10:0").end()).isEqualTo(Duration.ofSeconds(100));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void asManyAreThereAsTheLineSays(long seed) {
        Random random = new Random(seed);
        List<Stage> hill = new ArrayList<>();
        int target = 0;
        for (int i = 0; i < 4; i++) hill.add(stage(random, target += random.nextInt(40)));
        int peak = target;
        for (int i = 0; i < 4; i++) hill.add(stage(random, target -= random.nextInt(target + 1)));
        Stages stages = new Stages(hill);
        for (long at = 0; at < stages.end().toNanos(); at += SECOND / 3) {
            long now = at;
            long there = IntStream.range(0, peak + 5)
                    .filter(client -> stages.arrivesNanos(client) <= now && stages.leavesNanos(client) > now)
                    .count();
            assertThat((double) there).as("after %d ns", at).isCloseTo(line(hill, at), within(1.001));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void clientLeavesOnlyAfterItsArrival(long seed) {
        Random random = new Random(seed);
        List<Stage> any = new ArrayList<>();
        for (int i = 0; i < 12; i++) any.add(stage(random, random.nextInt(50)));
        Stages stages = new Stages(any);
        for (int client = 0; client < 60; client++) {
            long comes = stages.arrivesNanos(client);
            assertThat(comes == Arrivals.NEVER).isEqualTo(client >= stages.peak());
            assertThat(stages.leavesNanos(client))
                    .isGreaterThanOrEqualTo(comes == Arrivals.NEVER ? Arrivals.NEVER : comes);
        }
    }

    @Test
    void stagesThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> new Stages(List.of())).hasMessageContaining("at least one stage");
        assertThatThrownBy(() -> new Stage(Duration.ZERO, 5)).hasMessageContaining("longer than 0");
        assertThatThrownBy(() -> new Stage(Duration.ofSeconds(-1), 5)).hasMessageContaining("longer than 0");
        assertThatThrownBy(() -> new Stage(Duration.ofSeconds(1), -1)).hasMessageContaining("negative");
    }

    @Test
    void stagesDoNotChangeWithTheListTheyCameFrom() {
        List<Stage> list = new ArrayList<>(List.of(new Stage(Duration.ofSeconds(10), 5)));
        Stages stages = new Stages(list);
        list.clear();
        assertThat(stages.peak()).isEqualTo(5);
    }

    @Test
    void visitorsComeEvenlyFromTheBeginningAndAllWithinTheTime() {
        Guests visitors = Guests.visitors(100, Duration.ofSeconds(5), Duration.ofMillis(2_500));
        assertThat(visitors.count()).isEqualTo(250);
        assertThat(visitors.arrivesNanos(0)).isZero();
        assertThat(visitors.arrivesNanos(1)).isEqualTo(SECOND / 100);
        assertThat(visitors.arrivesNanos(249)).isLessThan(2_500 * SECOND / 1000);
        assertThat(visitors.misbehave()).isFalse();
    }

    @Test
    void aRateTooLowForTheTimeBringsNoVisitor() {
        assertThat(Guests.visitors(0.5, Duration.ofSeconds(5), Duration.ofSeconds(1))
                        .count())
                .isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Guests.Kind.class,
            names = {"SLOW_READERS", "SILENT"})
    void othersAreThereToBeClosedInTime(Guests.Kind kind) {
        assertThat(new Guests(kind, 3, 0, Duration.ZERO, Duration.ofSeconds(16)).misbehave())
                .isTrue();
        assertThatThrownBy(() -> new Guests(kind, 3, 0, Duration.ZERO, Duration.ZERO))
                .hasMessageContaining("within");
    }

    @Test
    void guestsThatMakeNoSenseAreRefused() {
        Duration second = Duration.ofSeconds(1);
        assertThatThrownBy(() -> new Guests(Guests.Kind.NONE, 1, 0, Duration.ZERO, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Guests(Guests.Kind.VISITORS, -1, 1, second, Duration.ZERO))
                .hasMessageContaining("negative");
        assertThatThrownBy(() -> Guests.visitors(0, second, second)).hasMessageContaining("a rate and a stay");
        assertThatThrownBy(() -> Guests.visitors(Double.NaN, second, second)).hasMessageContaining("a rate and a stay");
        assertThatThrownBy(() -> Guests.visitors(1, Duration.ZERO, second)).hasMessageContaining("a rate and a stay");
        assertThatThrownBy(() -> Guests.visitors(1e9, second, Duration.ofHours(1)))
                .hasMessageContaining("too many");
    }

    /** Each as seconds and target. */
    private static Stages stages(String... each) {
        List<Stage> stages = new ArrayList<>();
        for (String one : each) {
            int colon = one.indexOf(':');
            stages.add(new Stage(
                    Duration.ofSeconds(Long.parseLong(one.substring(0, colon))),
                    Integer.parseInt(one.substring(colon + 1))));
        }
        return new Stages(stages);
    }

    private static Stage stage(Random random, int target) {
        return new Stage(Duration.ofMillis(1 + random.nextInt(10_000)), target);
    }

    private static double line(List<Stage> stages, long atNanos) {
        long begin = 0;
        double before = 0;
        for (Stage stage : stages) {
            long length = stage.length().toNanos();
            if (atNanos < begin + length) return before + (stage.target() - before) * (atNanos - begin) / length;
            begin += length;
            before = stage.target();
        }
        return before;
    }

    private static double[] arrivals(Arrivals arrivals, int clients) {
        return IntStream.range(0, clients)
                .mapToDouble(client -> seconds(arrivals.arrivesNanos(client)))
                .toArray();
    }

    private static double[] departures(Arrivals arrivals, int clients) {
        return IntStream.range(0, clients)
                .mapToDouble(client -> seconds(arrivals.leavesNanos(client)))
                .toArray();
    }

    private static double seconds(long nanos) {
        return nanos == Arrivals.NEVER ? NEVER : nanos / 1e9;
    }
}
