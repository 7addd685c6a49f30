package chat.server.room;

import chat.protocol.ClientFrame.Since;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a member that wants the past up to the present: from the room's memory where that reaches back, else page by
 * page from the history. It reads by cursor and enters the room's sink where the cursor meets the newest message, so
 * nothing is buffered for it. What neither memory nor history has is told as a gap. Runs on the partition's thread.
 */
final class CatchUp {
    private static final Logger logger = LoggerFactory.getLogger(CatchUp.class);
    private static final long RETRY_MILLIS = 200;

    private final RoomSettings settings;
    private final History history;
    private final ScheduledExecutorService loop;
    private final Clock clock;
    private final RoomCounters counters;

    CatchUp(RoomSettings settings, History history, ScheduledExecutorService loop, Clock clock, RoomCounters counters) {
        this.settings = settings;
        this.history = history;
        this.loop = loop;
        this.clock = clock;
        this.counters = counters;
    }

    /** @param joinedAt position of the member's own JOIN */
    void begin(Room room, Membership membership, long joinedAt) {
        switch (membership.since) {
            case Since.Now now -> new Attempt(room, membership, joinedAt - 1).resume();
            case Since.Resume resume ->
                new Attempt(room, membership, Math.min(resume.position(), joinedAt - 1)).resume();
            case Since.History wanted ->
                new Attempt(room, membership, joinedAt - 1).history(joinedAt, wanted.messages());
        }
    }

    private final class Attempt {
        private final Room room;
        private final Membership membership;
        private final long patientUntil;
        /** Everything up to here was sent, or will never be. */
        private long cursor;

        Attempt(Room room, Membership membership, long cursor) {
            this.room = room;
            this.membership = membership;
            this.cursor = cursor;
            this.patientUntil = clock.millis() + settings.historyPatience().toMillis();
        }

        void resume() {
            room.welcome(membership, cursor);
            (inMemory() ? counters.resumedFromMemory : counters.resumedFromHistory).increment();
            proceed();
        }

        private boolean inMemory() {
            return cursor >= room.recent().coversAfter();
        }

        private void proceed() {
            if (isOver()) return;
            if (inMemory()) {
                room.sendTo(membership, room.recent().after(cursor));
                room.goLive(membership);
            } else if (!membership.subscriber.keepsUp()) {
                later(this::proceed);
            } else {
                ask(history.after(room.id(), cursor, settings.historyPage()), this::page, this::proceed);
            }
        }

        private void page(History.Page page) {
            for (History.Gap gap : page.gaps()) gap(Math.max(cursor, gap.from()), gap.to());
            room.sendTo(membership, page.messages());
            if (!page.messages().isEmpty()) cursor = page.messages().getLast().position();
            if (page.more()) {
                proceed();
                return;
            }
            cursor = Math.max(cursor, page.storedThrough());
            if (inMemory()) proceed();
            else later(this::proceed); // the consumer has not stored yet what memory has forgotten
        }

        void history(long joinedAt, int wanted) {
            List<Recent> inMemory = room.recent().before(joinedAt, wanted);
            if (inMemory.size() == wanted) {
                counters.resumedFromMemory.increment();
                begin(inMemory);
                return;
            }
            counters.resumedFromHistory.increment();
            askForHistory(joinedAt, wanted);
        }

        private void askForHistory(long joinedAt, int wanted) {
            if (isOver()) return;
            ask(
                    history.before(room.id(), joinedAt, wanted),
                    page -> {
                        boolean meetsMemory =
                                page.storedThrough() >= room.recent().coversAfter();
                        if (!meetsMemory && clock.millis() < patientUntil) later(() -> askForHistory(joinedAt, wanted));
                        else combine(page, joinedAt, wanted);
                    },
                    () -> combine(new History.Page(List.of(), false, -1, List.of()), joinedAt, wanted));
        }

        /** The last messages of what the history and the memory have, the memory's where both do. */
        private void combine(History.Page page, long joinedAt, int wanted) {
            long coversAfter = room.recent().coversAfter();
            List<Recent> all = new ArrayList<>();
            for (Recent message : page.messages()) if (message.position() <= coversAfter) all.add(message);
            all.addAll(room.recent().before(joinedAt, wanted));
            List<Recent> last = all.subList(Math.max(0, all.size() - wanted), all.size());
            begin(last);
        }

        /** Welcomes with the oldest and goes on as if that had been resumed. */
        private void begin(List<Recent> messages) {
            if (isOver()) return;
            if (!messages.isEmpty()) cursor = messages.getFirst().position() - 1;
            room.welcome(membership, cursor);
            long coversAfter = room.recent().coversAfter();
            List<Recent> older = new ArrayList<>();
            for (Recent message : messages) if (message.position() <= coversAfter) older.add(message);
            room.sendTo(membership, older);
            if (!older.isEmpty()) cursor = older.getLast().position();
            proceed();
        }

        private void ask(CompletionStage<History.Page> question, Consumer<History.Page> answer, Runnable again) {
            question.whenComplete((page, failure) -> onLoop(() -> {
                if (isOver()) return;
                if (failure == null) {
                    answer.accept(page);
                } else if (clock.millis() < patientUntil) {
                    logger.debug("no history of {}", room.id(), failure);
                    later(again);
                } else {
                    giveUp();
                }
            }));
        }

        private void later(Runnable step) {
            if (clock.millis() >= patientUntil && !inMemory()) {
                giveUp();
                return;
            }
            try {
                loop.schedule(
                        () -> {
                            if (!isOver()) step.run();
                        },
                        RETRY_MILLIS,
                        TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException stopping) {
                // The socket is being closed, too.
            }
        }

        /** What lies between the cursor and the memory can't be had. */
        private void giveUp() {
            gap(cursor, room.recent().coversAfter());
            proceed();
        }

        private void gap(long from, long to) {
            if (to <= from) return;
            counters.resumeGaps.increment();
            room.sendGap(membership, from, to);
            cursor = Math.max(cursor, to);
        }

        private boolean isOver() {
            return membership.state != Membership.State.CATCHING_UP || !membership.subscriber.isOpen();
        }

        private void onLoop(Runnable step) {
            try {
                loop.execute(step);
            } catch (RejectedExecutionException stopping) {
                // The socket is being closed, too.
            }
        }
    }
}
