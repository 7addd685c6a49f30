package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GeneratorProbeTest {
    private final RecordedSink sink = new RecordedSink();

    @Test
    void thisJvmIsSampled() {
        new GeneratorProbe().sample(sink);
        assertThat(sink.gauge("generator.heap")).isPositive();
        assertThat(sink.total("generator.jit")).isPositive();
        assertThat(sink.totals).containsKey("generator.gcPause");
    }

    @Test
    void concurrentCollectionIsNoPause() {
        assertThat(GeneratorProbe.pauses("G1 Young Generation")).isTrue();
        assertThat(GeneratorProbe.pauses("ZGC Major Pauses")).isTrue();
        assertThat(GeneratorProbe.pauses("G1 Concurrent GC")).isFalse();
        assertThat(GeneratorProbe.pauses("ZGC Minor Cycles")).isFalse();
    }
}
