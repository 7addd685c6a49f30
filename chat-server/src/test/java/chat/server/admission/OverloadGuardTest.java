package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import chat.server.admission.OverloadSettings.Delay;
import chat.server.admission.OverloadSettings.Share;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OverloadGuardTest {
    private static final Delay NO_DELAY = new Delay(Duration.ZERO);
    private static final Delay DELAY = new Delay(Duration.ofMillis(500));
    private static final Share OFF = new Share(0);

    private final Map<Resource, Double> readings = new EnumMap<>(Resource.class);

    private OverloadGuard guard(OverloadSettings settings) {
        Map<Resource, DoubleSupplier> probes = new EnumMap<>(Resource.class);
        for (Resource resource : Resource.values()) probes.put(resource, () -> readings.getOrDefault(resource, 0.0));
        return new OverloadGuard(settings, probes);
    }

    private @Nullable String rejectedAt(OverloadGuard guard, Resource resource, double reading) {
        readings.put(resource, reading);
        guard.look();
        Rejection rejection = guard.check(new HandshakeRequest(null, name -> null));
        return rejection == null ? null : rejection.reason();
    }

    @Test
    void guardRejectsFromTheHighMarkUntilBelowTheLowMark() {
        OverloadGuard guard = guard(new OverloadSettings(DELAY, OFF, OFF, OFF));
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 500)).isEqualTo("event-loop");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 100)).isEqualTo("event-loop");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 99)).isNull();
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
    }

    @Test
    void rejectionHasTheReadingAndItsMarks() {
        OverloadGuard guard = guard(new OverloadSettings(DELAY, OFF, OFF, OFF));
        for (double reading : new double[] {612.5, 300}) {
            readings.put(Resource.EVENT_LOOP, reading);
            guard.look();
            assertThat(guard.check(new HandshakeRequest(null, name -> null)))
                    .isEqualTo(Rejection.unavailable(Rejection.RETRY_AFTER, "event-loop")
                            .with(new Rejection.Measured(reading, 500, 100)));
        }
    }

    @Test
    void twoThousandThreadsReject() {
        OverloadGuard guard = guard(new OverloadSettings(NO_DELAY, OFF, OFF, OFF));
        assertThat(rejectedAt(guard, Resource.THREADS, 1999)).isNull();
        assertThat(rejectedAt(guard, Resource.THREADS, 2000)).isEqualTo("threads");
        assertThat(rejectedAt(guard, Resource.THREADS, 1700)).isNull();
    }

    @Test
    void readingsBetweenTheMarksNeverChangeAnything() {
        OverloadGuard guard = guard(new OverloadSettings(NO_DELAY, new Share(0.9), OFF, OFF));
        int changes = 0;
        boolean refusing = false;
        for (int i = 0; i < 1000; i++) {
            // Around the high mark, as a server at its limit is.
            boolean now = rejectedAt(guard, Resource.HEAP, 0.9 + (i % 2 == 0 ? 0.05 : -0.05)) != null;
            if (now != refusing) changes++;
            refusing = now;
        }
        assertThat(changes).isEqualTo(1);
        assertThat(guard.shortOf()).containsExactly("heap");
        assertThat(guard.reading(Resource.HEAP)).isEqualTo(0.85);
    }

    @Test
    void itOpensOnlyWhenNothingIsShort() {
        Share cpu = new Share(0.95);
        OverloadGuard guard = guard(new OverloadSettings(DELAY, OFF, cpu, cpu));
        assertThat(rejectedAt(guard, Resource.PROCESS_CPU, 1)).isEqualTo("process-cpu");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 900)).isEqualTo("event-loop");
        assertThat(guard.shortOf()).containsExactly("event-loop", "process-cpu");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 1)).isEqualTo("process-cpu");
        assertThat(guard.isRejecting()).isTrue();
        assertThat(rejectedAt(guard, Resource.PROCESS_CPU, 0.5)).isNull();
        assertThat(guard.isRejecting()).isFalse();
    }

    @Test
    void disabledOrUnknownMeasurementRejectsNothing() {
        OverloadGuard guard = guard(new OverloadSettings(NO_DELAY, OFF, OFF, new Share(0.95)));
        assertThat(guard.watched()).containsExactlyInAnyOrder(Resource.SYSTEM_CPU, Resource.THREADS);
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 1e9)).isNull();
        assertThat(rejectedAt(guard, Resource.SYSTEM_CPU, Double.NaN)).isNull();
        assertThat(rejectedAt(guard, Resource.SYSTEM_CPU, 1)).isEqualTo("system-cpu");
        assertThat(rejectedAt(guard, Resource.SYSTEM_CPU, Double.NaN)).isEqualTo("system-cpu");
    }

    @Test
    void invalidMarksAreRejected() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Watermarks(0.9, 0.9));
        assertThatIllegalArgumentException().isThrownBy(() -> new Watermarks(0.9, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Watermarks(0, 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Watermarks(Double.NaN, 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Share(90));
        assertThatIllegalArgumentException().isThrownBy(() -> new Share(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay(Duration.ofMillis(-1)));
    }

    @Test
    void heapRecoversBelowEightNinthsOfItsHighMark() {
        OverloadGuard guard = guard(new OverloadSettings(NO_DELAY, new Share(0.9), OFF, OFF));
        assertThat(rejectedAt(guard, Resource.HEAP, 0.9)).isEqualTo("heap");
        assertThat(rejectedAt(guard, Resource.HEAP, 0.801)).isEqualTo("heap");
        assertThat(rejectedAt(guard, Resource.HEAP, 0.799)).isNull();
    }
}
