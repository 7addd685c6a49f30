package chat.server.room;

import chat.log.LogCounters;
import chat.log.LogSettings;
import chat.log.RoomLog;
import java.time.Clock;
import java.util.function.LongSupplier;

/** Creates rooms without tracing, on a server with enough heap. */
public final class TestRooms {
    private TestRooms() {}

    public static Rooms of(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            History history,
            LogCounters logCounters,
            RoomCounters counters) {
        return of(log, settings, logSettings, clock, System::nanoTime, history, logCounters, counters);
    }

    /** @param nanoTime as {@link System#nanoTime} */
    public static Rooms of(
            RoomLog log,
            RoomSettings settings,
            LogSettings logSettings,
            Clock clock,
            LongSupplier nanoTime,
            History history,
            LogCounters logCounters,
            RoomCounters counters) {
        return new Rooms(
                log, settings, logSettings, clock, nanoTime, history, logCounters, counters, null, () -> false);
    }
}
