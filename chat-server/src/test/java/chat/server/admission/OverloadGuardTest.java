package chat.server.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OverloadGuardTest {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final OverloadSettings.Delay OFF = new OverloadSettings.Delay(Duration.ZERO, Duration.ZERO);
    private static final OverloadSettings.Delay DELAY =
            new OverloadSettings.Delay(Duration.ofMillis(500), Duration.ofMillis(100));

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
        OverloadGuard guard =
                guard(new OverloadSettings(RETRY_AFTER, DELAY, Watermarks.OFF, Watermarks.OFF, Watermarks.OFF));
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 500)).isEqualTo("event-loop");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 100)).isEqualTo("event-loop");
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 99)).isNull();
        assertThat(rejectedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
    }

    @Test
    void readingsBetweenTheMarksNeverChangeAnything() {
        OverloadGuard guard =
                guard(new OverloadSettings(RETRY_AFTER, OFF, new Watermarks(0.9, 0.8), Watermarks.OFF, Watermarks.OFF));
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
        Watermarks cpu = new Watermarks(0.95, 0.7);
        OverloadGuard guard = guard(new OverloadSettings(RETRY_AFTER, DELAY, Watermarks.OFF, cpu, cpu));
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
        Watermarks cpu = new Watermarks(0.95, 0.7);
        OverloadGuard guard = guard(new OverloadSettings(RETRY_AFTER, OFF, Watermarks.OFF, Watermarks.OFF, cpu));
        assertThat(guard.watched()).containsExactly(Resource.SYSTEM_CPU);
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
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new OverloadSettings(
                        RETRY_AFTER, DELAY, new Watermarks(90, 80), Watermarks.OFF, Watermarks.OFF));
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        new OverloadSettings(Duration.ZERO, DELAY, Watermarks.OFF, Watermarks.OFF, Watermarks.OFF));
    }
}
