package chat.server.room;

import chat.protocol.ClientFrame.Since;
import chat.server.dedup.DedupWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/**
 * Catches up the members of one partition that ask for earlier messages. Each of them has a {@link CatchUpAttempt}.
 * Confined to the partition's thread.
 */
final class CatchUp {
    private static final History.Gap NONE = new History.Gap(-1, -1);

    final RoomSettings settings;
    final History history;
    final Backlog backlog;
    final DedupWindow window;
    final Epochs epochs;
    final ScheduledExecutorService loop;
    final LongSupplier nanoTime;
    final RoomCounters counters;
    final CatchUpScheduler scheduler;
    private final LostEnds lostEnds;
    private History.Gap reused = NONE;
    /** Requests without a response, and those answered since the last tick. */
    private final List<Request> requests = new ArrayList<>();

    /**
     * @param window of the partition, to recognize messages that the log contains twice
     * @param epochs of the log, as far as it was read
     * @param nanoTime as {@link System#nanoTime}
     * @param scheduler shared by all partitions
     */
    CatchUp(
            RoomSettings settings,
            History history,
            Backlog backlog,
            DedupWindow window,
            Epochs epochs,
            LostEnds lostEnds,
            ScheduledExecutorService loop,
            LongSupplier nanoTime,
            RoomCounters counters,
            CatchUpScheduler scheduler) {
        this.settings = settings;
        this.history = history;
        this.backlog = backlog;
        this.window = window;
        this.epochs = epochs;
        this.lostEnds = lostEnds;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.scheduler = scheduler;
    }

    /**
     * Records a range of positions that the log has assigned twice. The database may hold the lost messages, or not yet
     * the new ones, so members receive a GAP for the whole range.
     */
    void reused(long from, long to) {
        reused = new History.Gap(from, to);
    }

    /** The range of the last call of {@link #reused(long, long)}; empty before. */
    History.Gap reused() {
        return reused;
    }

    /** @param joinedAt position of the member's own JOIN */
    void begin(Room room, Membership membership, long joinedAt) {
        switch (membership.since) {
            case Since.Now now -> new CatchUpAttempt(this, room, membership, joinedAt - 1).resume(false);
            case Since.Resume resume -> resume(room, membership, resume.position(), joinedAt);
            case Since.History last ->
                new LastMessages(
                                new CatchUpAttempt(this, room, membership, joinedAt - 1),
                                this,
                                room,
                                joinedAt,
                                last.messages())
                        .load();
        }
    }

    /**
     * Resumes from a position. A position in a lost end comes from a message that the log has lost, or is forged: the
     * members of the room receive a GAP. For a position above its own JOIN only the client itself receives a GAP.
     */
    private void resume(Room room, Membership membership, long position, long joinedAt) {
        Epochs.Hole hole = epochs.at(position);
        if (hole != null && position > hole.from()) lostEnds.received(room, hole);
        new CatchUpAttempt(this, room, membership, Math.min(position, joinedAt - 1)).resume(position >= joinedAt);
    }

    /** Remembers a request, to cancel it if its member leaves. */
    void sent(Membership by, CompletableFuture<?> response) {
        requests.add(new Request(by, response));
    }

    /** Cancels the requests of members that have left; must be called about every 250 ms. */
    void tick() {
        requests.removeIf(Request::isOver);
        scheduler.tick();
    }

    private record Request(Membership by, CompletableFuture<?> response) {
        boolean isOver() {
            if (!by.catchesUp()) response.cancel(false);
            return response.isDone();
        }
    }
}
