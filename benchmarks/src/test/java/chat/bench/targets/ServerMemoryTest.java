package chat.bench.targets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.bench.platform.MeasurementFailure;
import org.junit.jupiter.api.Test;

class ServerMemoryTest {
    @Test
    void residentMemoryAndThreadsAreReadFromTheStatusOfTheProcess() {
        String status = "Name:\tjava\nVmHWM:\t  300000 kB\nVmRSS:\t  254321 kB\nThreads:\t42\n";
        assertThat(ServerMemory.field("VmRSS", status)).isEqualTo(254_321);
        assertThat(ServerMemory.field("Threads", status)).isEqualTo(42);
        assertThatThrownBy(() -> ServerMemory.field("VmSwap", status)).isInstanceOf(MeasurementFailure.class);
    }

    @Test
    void usedHeapIsTheFirstUsedSizeOfTheHeapInfo() {
        String info = """
                4711:
                 garbage-first heap   total reserved 1048576K, committed 65536K, used 23456K [0x0, 0x1)
                 Metaspace       used 54321K, committed 55000K, reserved 1114112K
                """;
        assertThat(ServerMemory.used(info)).isEqualTo(23_456);
    }
}
