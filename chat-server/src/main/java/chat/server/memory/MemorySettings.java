package chat.server.memory;

import java.time.Duration;

/**
 * When free heap is given back to the operating system.
 *
 * @param idleAfter how long little must have been allocated before, at most 1 day; 0: never
 * @param idleBytes allocated in one second, which are no longer little
 */
public record MemorySettings(Duration idleAfter, long idleBytes) {
    public MemorySettings {
        if (idleAfter.isNegative() || idleAfter.compareTo(Duration.ofDays(1)) > 0)
            throw new IllegalArgumentException("idle-after must be 0 to 1 day");
        if (idleBytes < 1) throw new IllegalArgumentException("idle-allocation must be at least 1 byte");
    }
}
