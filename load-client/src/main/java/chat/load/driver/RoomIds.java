package chat.load.driver;

import chat.load.plan.Numbering;
import chat.load.plan.RunIds;
import java.util.UUID;

/** Records which ids were sent in one room, and when first. Confined to the room's event loop during the run. */
final class RoomIds {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final RunIds run;
    private final Numbering numbering;
    private final int room;
    /** Whether other clients and earlier runs use the room, too. */
    private final boolean shared;

    /** Nanoseconds after the run's beginning; 0: not sent. */
    private final long[] firstSent;

    RoomIds(RunIds run, Numbering numbering, int room, boolean shared) {
        this.run = run;
        this.numbering = numbering;
        this.room = room;
        this.shared = shared;
        this.firstSent = new long[numbering.perRoom()];
    }

    /**
     * Records a message; only the first call for a number counts.
     *
     * @param runNanos after the run's beginning
     */
    void sent(int number, long runNanos) {
        if (firstSent[number] == 0) firstSent[number] = Math.max(1, runNanos);
    }

    boolean wasSent(int number) {
        return firstSent[number] != 0;
    }

    long firstSent(int number) {
        return firstSent[number];
    }

    UUID id(int number) {
        return run.id(numbering.global(room, number), firstSent[number] / NANOS_PER_MILLI);
    }

    /** Whether a message with this id may be of another client or run. Ids of this run carry its mark. */
    boolean mayBeOthers(long high, long low) {
        return shared && run.number(high, low) < 0;
    }

    /** @return the number within this room, or -1 if exactly this id was not sent in it */
    int number(long high, long low) {
        int global = run.number(high, low);
        if (global < 0) return -1;
        int number = global - numbering.global(room, 0);
        if (number < 0 || number >= firstSent.length || firstSent[number] == 0) return -1;
        return run.high(firstSent[number] / NANOS_PER_MILLI) == high ? number : -1;
    }
}
