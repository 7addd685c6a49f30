package chat.server.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdleMemoryTest {
    private static final long LITTLE = 1000;
    private static final MemorySettings SETTINGS = new MemorySettings(Duration.ofSeconds(30), LITTLE);

    private final List<String> done = new ArrayList<>();
    private final FreeHeap heap = new FreeHeap() {
        @Override
        public boolean isOurs() {
            return true;
        }

        @Override
        public void giveBack() {
            done.add("given back");
        }

        @Override
        public void goOn() {
            goneOn++;
        }

        @Override
        public void keep() {
            done.add("kept");
        }
    };
    private int goneOn;
    private long allocated;
    private long nanos;
    private final IdleMemory memory = new IdleMemory(SETTINGS, heap, () -> allocated, () -> nanos);

    private void pass(int seconds, long bytesPerSecond) {
        for (int i = 0; i < seconds; i++) {
            nanos += Duration.ofSeconds(1).toNanos();
            allocated += bytesPerSecond;
            memory.look();
        }
    }

    @Test
    void whereLittleIsAllocatedForLongFreeHeapIsGivenBack() {
        pass(29, LITTLE - 1);
        assertThat(done).isEmpty();
        assertThat(memory.givesBack()).isFalse();
        pass(100, LITTLE - 1);
        assertThat(done).containsExactly("given back");
        assertThat(goneOn).isEqualTo(99);
        assertThat(memory.givesBack()).isTrue();
    }

    @Test
    void theFirstSecondOfLoadEndsThat() {
        pass(30, 0);
        pass(1, LITTLE);
        assertThat(done).containsExactly("given back", "kept");
        assertThat(memory.givesBack()).isFalse();
        pass(29, 0);
        assertThat(done).hasSize(2);
        pass(1, 0);
        assertThat(done).containsExactly("given back", "kept", "given back");
    }

    @Test
    void aSecondOfLoadNowAndThenIsNotIdle() {
        for (int i = 0; i < 10; i++) {
            pass(20, 0);
            pass(1, LITTLE);
        }
        assertThat(done).isEmpty();
    }

    @Test
    void whatIsGivenBackIsKeptAgainWhenItIsClosed() {
        pass(30, 0);
        memory.close();
        assertThat(done).containsExactly("given back", "kept");
    }

    /** As where the machine was busy with other things, and the thread late. */
    @Test
    void whatIsLittleGoesByTheTimeThatHasPassed() {
        pass(30, 0);
        nanos += Duration.ofSeconds(10).toNanos();
        allocated += 9 * LITTLE;
        memory.look();
        assertThat(memory.givesBack()).isTrue();
    }

    @Test
    void aSettingThatCanNotBeIsRefusedByName() {
        assertThatThrownBy(() -> new MemorySettings(Duration.ofDays(2), 1)).hasMessageContaining("idle-after");
        assertThatThrownBy(() -> new MemorySettings(Duration.ofSeconds(1), 0)).hasMessageContaining("idle-allocation");
    }
}
