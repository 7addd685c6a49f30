package chat.server.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import chat.server.limit.Refusal;
import chat.server.limit.Visit;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResourceGuardTest {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final GuardSettings.Delay OFF = new GuardSettings.Delay(Duration.ZERO, Duration.ZERO);
    private static final GuardSettings.Delay DELAY =
            new GuardSettings.Delay(Duration.ofMillis(500), Duration.ofMillis(100));

    private final Map<Resource, Double> readings = new EnumMap<>(Resource.class);

    private ResourceGuard guard(GuardSettings settings) {
        Map<Resource, DoubleSupplier> probes = new EnumMap<>(Resource.class);
        for (Resource resource : Resource.values()) probes.put(resource, () -> readings.getOrDefault(resource, 0.0));
        return new ResourceGuard(settings, probes);
    }

    private @Nullable String refusedAt(ResourceGuard guard, Resource resource, double reading) {
        readings.put(resource, reading);
        guard.look();
        Refusal refusal = guard.refuses(new Visit(null, name -> null));
        return refusal == null ? null : refusal.reason();
    }

    @Test
    void fromTheHighMarkNobodyComesInUntilBelowTheLowOne() {
        ResourceGuard guard = guard(new GuardSettings(RETRY_AFTER, DELAY, Marks.OFF, Marks.OFF, Marks.OFF));
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 500)).isEqualTo("event-loop");
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 100)).isEqualTo("event-loop");
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 99)).isNull();
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 499)).isNull();
    }

    @Test
    void readingsBetweenTheMarksNeverChangeAnything() {
        ResourceGuard guard = guard(new GuardSettings(RETRY_AFTER, OFF, new Marks(0.9, 0.8), Marks.OFF, Marks.OFF));
        int changes = 0;
        boolean refusing = false;
        for (int i = 0; i < 1000; i++) {
            // Around the high mark, as a server at its limit is.
            boolean now = refusedAt(guard, Resource.HEAP, 0.9 + (i % 2 == 0 ? 0.05 : -0.05)) != null;
            if (now != refusing) changes++;
            refusing = now;
        }
        assertThat(changes).isEqualTo(1);
        assertThat(guard.shortOf()).containsExactly("heap");
        assertThat(guard.reading(Resource.HEAP)).isEqualTo(0.85);
    }

    @Test
    void itOpensOnlyWhenNothingIsShort() {
        Marks cpu = new Marks(0.95, 0.7);
        ResourceGuard guard = guard(new GuardSettings(RETRY_AFTER, DELAY, Marks.OFF, cpu, cpu));
        assertThat(refusedAt(guard, Resource.PROCESS_CPU, 1)).isEqualTo("process-cpu");
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 900)).isEqualTo("event-loop");
        assertThat(guard.shortOf()).containsExactly("event-loop", "process-cpu");
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 1)).isEqualTo("process-cpu");
        assertThat(guard.isRefusing()).isTrue();
        assertThat(refusedAt(guard, Resource.PROCESS_CPU, 0.5)).isNull();
        assertThat(guard.isRefusing()).isFalse();
    }

    @Test
    void whatIsOffOrCannotBeToldRefusesNobody() {
        Marks cpu = new Marks(0.95, 0.7);
        ResourceGuard guard = guard(new GuardSettings(RETRY_AFTER, OFF, Marks.OFF, Marks.OFF, cpu));
        assertThat(guard.watched()).containsExactly(Resource.SYSTEM_CPU);
        assertThat(refusedAt(guard, Resource.EVENT_LOOP, 1e9)).isNull();
        assertThat(refusedAt(guard, Resource.SYSTEM_CPU, Double.NaN)).isNull();
        assertThat(refusedAt(guard, Resource.SYSTEM_CPU, 1)).isEqualTo("system-cpu");
        assertThat(refusedAt(guard, Resource.SYSTEM_CPU, Double.NaN)).isEqualTo("system-cpu");
    }

    @Test
    void marksThatWouldOscillateOrNeverOpenAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Marks(0.9, 0.9));
        assertThatIllegalArgumentException().isThrownBy(() -> new Marks(0.9, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new Marks(0, 0.5));
        assertThatIllegalArgumentException().isThrownBy(() -> new Marks(Double.NaN, 0.5));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GuardSettings(RETRY_AFTER, DELAY, new Marks(90, 80), Marks.OFF, Marks.OFF));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new GuardSettings(Duration.ZERO, DELAY, Marks.OFF, Marks.OFF, Marks.OFF));
    }
}
