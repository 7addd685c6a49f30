package chat.server.room;

import chat.log.LineFields;
import chat.protocol.CloseCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catches up one member: sends what follows its cursor, only as fast as the client reads, until the cursor reaches the
 * newest message and the member is live. Takes messages from the room's memory if that reaches back to the cursor, else
 * from pages: of the history, and of the log for messages that are not stored yet or while the history is unavailable.
 * Buffers one page at most. Sends a GAP for messages that no source has. docs/architecture.md shows its states.
 * Confined to the partition's thread.
 */
final class CatchUpAttempt {
    private static final Logger logger = LoggerFactory.getLogger(CatchUpAttempt.class);
    private static final long RETRY_MILLIS = 100;

    private final CatchUp shared;
    private final Room room;
    private final Membership membership;
    private final CatchUpScheduler.Permit permit;
    private final BacklogPages backlogPages;
    /** Everything up to this position was sent, or is lost. */
    private long cursor;
    /** Where the cursor started. */
    private long start;
    /** Lost ends of the log for which the member has received a GAP. */
    private final Set<Epochs.Hole> reportedHoles = new HashSet<>(0);
    /** The rest of the current page. */
    private final Deque<RecentMessage> messages = new ArrayDeque<>();

    private final Deque<History.Gap> gaps = new ArrayDeque<>();
    /** The page is complete up to this position. */
    private long pageEnd;

    /** No source has had anything since the cursor moved last. */
    private boolean failing;

    private long deadlineNanos;
    /**
     * The source of the next page: HISTORY; or LOG, if the history has nothing after the cursor, until the log has
     * nothing.
     */
    private State source = State.HISTORY;

    /**
     * The states of docs/architecture.md that follow CURSOR. From each of them the attempt returns to CURSOR, where
     * {@link #next} chooses again, until the member is live or has left.
     */
    private enum State {
        /** The client reads slowly, or the budget of its user is used up. */
        PAUSE,
        /** The member has received everything before its LEAVE. */
        LEFT,
        /** Messages or gaps of the page are left. */
        PAGE,
        /** The positions after the cursor were assigned twice, or lie between two epochs. */
        GAP,
        /** Memory reaches back to the cursor. */
        MEMORY,
        /** A page of the history is needed. */
        HISTORY,
        /** A page of the log is needed. */
        LOG
    }

    CatchUpAttempt(CatchUp shared, Room room, Membership membership, long cursor) {
        this.shared = shared;
        this.room = room;
        this.membership = membership;
        this.permit = shared.scheduler.permit(membership);
        this.backlogPages = new BacklogPages(room, shared.window, shared.nanoTime, shared.counters);
        this.cursor = cursor;
        this.start = cursor;
        this.pageEnd = cursor;
    }

    Membership membership() {
        return membership;
    }

    CatchUpScheduler.Permit permit() {
        return permit;
    }

    BacklogPages backlogPages() {
        return backlogPages;
    }

    /**
     * Whether to retry when no source has anything. The timeout starts with the first such failure: a client that reads
     * slowly, or a request that waits long before it fails, does not use it up.
     */
    boolean mayRetry() {
        long now = shared.nanoTime.getAsLong();
        if (!failing) deadlineNanos = now + shared.settings.historyPatience().toNanos();
        failing = true;
        return now - deadlineNanos < 0;
    }

    /**
     * @param fromAbove whether the client gave a position above its own JOIN, so that its missing messages are unknown
     */
    void resume(boolean fromAbove) {
        room.welcome(membership, cursor);
        if (fromAbove) gap(0, cursor);
        (inMemory() ? shared.counters.resumedFromMemory : shared.counters.resumedFromHistory).increment();
        proceed();
    }

    /** Sends the WELCOME and continues as if the member had resumed before the first of these messages. */
    void startWith(List<RecentMessage> all, History.Page page, long joinedAt) {
        if (!all.isEmpty()) cursor = all.getFirst().position() - 1;
        start = cursor;
        room.welcome(membership, cursor);
        if (!inMemory()) {
            List<RecentMessage> older = all.stream()
                    .filter(message -> message.position() <= room.recent().coversAfter())
                    .toList();
            List<History.Gap> within =
                    page.gaps().stream().filter(gap -> gap.to() > cursor).toList();
            // The request did not ask for messages after the JOIN.
            take(new History.Page(older, false, Math.min(page.storedThrough(), joinedAt - 1), within));
        } else {
            permit.release();
        }
        proceed();
    }

    private boolean inMemory() {
        return cursor >= room.recent().coversAfter();
    }

    private void proceed() {
        while (membership.catchesUp()) {
            long delayNanos = shared.scheduler.delayNanos(membership);
            State state = next(delayNanos);
            if (state != State.PAUSE) reportHoles();
            switch (state) {
                case PAUSE -> {
                    pause(delayNanos);
                    return;
                }
                case LEFT -> room.finish(membership);
                case PAGE -> sendFromPage();
                case GAP -> passGap();
                case MEMORY -> sendFromMemory();
                case HISTORY, LOG -> {
                    requestPage();
                    return;
                }
            }
        }
        end();
    }

    private State next(long delayNanos) {
        if (delayNanos > 0 || !membership.subscriber.keepsUp()) return State.PAUSE;
        if (cursor >= membership.leftAt()) return State.LEFT;
        if (holdsPage()) return State.PAGE;
        if (isReused() || shared.epochs.at(cursor) != null) return State.GAP;
        return inMemory() ? State.MEMORY : source;
    }

    private boolean holdsPage() {
        return !messages.isEmpty() || !gaps.isEmpty();
    }

    /** Whether the log has assigned the position after the cursor twice. */
    private boolean isReused() {
        return cursor >= shared.reused().from() && cursor < shared.reused().to();
    }

    private void passGap() {
        Epochs.Hole hole = shared.epochs.at(cursor);
        if (isReused()) gap(cursor, shared.reused().to());
        else if (hole != null) pass(hole);
    }

    private void pass(Epochs.Hole hole) {
        // The history may be complete up to an entry without messages, which is there in a sound log.
        if (hole.proves(cursor) || room.hasLost(hole)) {
            reportedHoles.add(hole);
            gap(cursor, hole.to());
        } else {
            advance(hole.to());
        }
    }

    /** A lost end may become known after the cursor has passed it. */
    private void reportHoles() {
        for (Epochs.Hole hole : shared.epochs.holes(start, cursor))
            if (room.hasLost(hole) && reportedHoles.add(hole))
                room.sendGap(membership, Math.max(start, hole.from()), hole.to());
    }

    void end() {
        dropPage();
        permit.release();
        room.caughtUp(membership);
    }

    private void dropPage() {
        shared.counters.pageMessages.add(-messages.size());
        messages.clear();
        gaps.clear();
    }

    /**
     * Waits until the client has read more, or its user's budget has recovered. Only the room with the session's permit
     * polls. It drops its page if other members wait for the memory, and reads it again later.
     */
    private void pause(long delayNanos) {
        if (holdsPage() && shared.scheduler.isOutOfMemory()) {
            shared.counters.catchUpDropped.increment();
            dropPage();
        }
        if (!holdsPage()) permit.dropPage();
        if (permit.isIdle()) {
            whenGranted(permit.acquire(), this::proceed);
            return;
        }
        after(Math.max(RETRY_MILLIS, TimeUnit.NANOSECONDS.toMillis(delayNanos)), this::proceed);
    }

    void whenGranted(CompletableFuture<CatchUpScheduler.Permit> granted, Runnable step) {
        if (granted.isDone()) {
            step.run();
            return;
        }
        backlogPages.dropIds(); // a waiting member keeps no memory
        request(granted, unused -> step.run(), this::end);
    }

    private void requestPage() {
        if (!permit.isReading()) {
            whenGranted(permit.acquireRead(), this::proceed);
            return;
        }
        int limit = shared.settings.historyPage();
        if (source == State.LOG)
            request(
                    shared.backlog.first(next(cursor, room.recent().coversAfter()), limit),
                    this::logRead,
                    this::nothingFound);
        else request(shared.history.after(room.id(), cursor, limit), this::historyRead, this::readLog);
    }

    private void readLog() {
        source = State.LOG;
        proceed();
    }

    private Backlog.Stretch next(long after, long upTo) {
        Epochs.Span span = shared.epochs.following(after);
        return new Backlog.Stretch(room.id(), span.epoch(), after, Math.min(upTo, span.through()));
    }

    /** Sends what memory has: about one frame, or all and then the member is live. */
    private void sendFromMemory() {
        List<RecentMessage> remembered = room.recent().between(cursor, membership.leftAt());
        int count = 0;
        int bytes = 0;
        while (count < remembered.size() && bytes < Frames.MAX_BYTES)
            bytes += remembered.get(count++).json().length;
        room.sendTo(membership, remembered.subList(0, count));
        shared.scheduler.charge(membership, bytes);
        if (count == remembered.size()) room.finish(membership);
        else advance(remembered.get(count - 1).position());
    }

    /** Sends about one frame of the page, at most up to the next gap, and nothing that memory has. */
    private void sendFromPage() {
        long end = Math.min(room.recent().coversAfter(), membership.leftAt());
        History.Gap gap = gaps.peek();
        long portionEnd = gap == null ? end : Math.min(end, gap.from());
        List<RecentMessage> portion = new ArrayList<>();
        int bytes = 0;
        RecentMessage next;
        while ((next = messages.peek()) != null && next.position() <= portionEnd && bytes < Frames.MAX_BYTES) {
            portion.add(messages.remove());
            bytes += next.json().length;
        }
        shared.counters.pageMessages.add(-portion.size());
        if (!portion.isEmpty()) {
            shared.scheduler.charge(membership, bytes);
            room.sendTo(membership, portion);
            advance(portion.getLast().position());
        } else if (gap != null && gap.from() < end) {
            gaps.remove();
            gap(Math.max(cursor, gap.from()), Math.min(gap.to(), end));
        } else {
            // Memory has the rest of the page, or it follows the member's LEAVE.
            dropPage();
        }
        if (!holdsPage()) {
            advance(Math.min(pageEnd, end));
            permit.release(); // other rooms of the session and other users are next
        }
    }

    private void advance(long to) {
        if (to <= cursor) return;
        cursor = to;
        failing = false;
    }

    private void historyRead(History.Page page) {
        if (addsTo(page)) proceed();
        else readLog(); // the consumer has not stored yet what memory has dropped
    }

    private void logRead(Backlog.Piece piece) {
        boolean complete = piece.from() <= cursor;
        // Messages that the log has dropped may be in the history by now.
        if ((complete || !mayRetry()) && addsTo(backlogPages.page(piece, cursor))) proceed();
        else nothingFound();
    }

    private boolean addsTo(History.Page page) {
        long before = cursor;
        take(page);
        if (holdsPage()) return true;
        permit.release();
        advance(Math.min(pageEnd, room.recent().coversAfter()));
        return cursor > before;
    }

    private void take(History.Page whole) {
        History.Page page = beforeReused(whole);
        permit.read(bytes(page));
        messages.addAll(page.messages());
        shared.counters.pageMessages.add(page.messages().size());
        gaps.addAll(page.gaps());
        long last = page.messages().isEmpty() ? -1 : page.messages().getLast().position();
        pageEnd = page.more() && last >= 0 ? last : Math.max(page.storedThrough(), last);
    }

    private static long bytes(History.Page page) {
        long bytes = (long) RoomSettings.MESSAGE_OVERHEAD
                * (page.messages().size() + page.gaps().size());
        for (RecentMessage message : page.messages()) bytes += message.json().length;
        return bytes;
    }

    private History.Page beforeReused(History.Page page) {
        long end = shared.reused().from();
        if (cursor >= end) return page;
        return new History.Page(
                page.messages().stream()
                        .filter(message -> message.position() <= end)
                        .toList(),
                page.more(),
                Math.min(page.storedThrough(), end),
                page.gaps().stream().filter(gap -> gap.from() < end).toList());
    }

    private void nothingFound() {
        source = State.HISTORY;
        permit.release();
        if (mayRetry()) {
            retry(this::proceed);
            return;
        }
        gap(cursor, room.recent().coversAfter());
        proceed();
    }

    private void gap(long from, long to) {
        if (to <= from) return;
        shared.counters.resumeGaps.increment();
        room.sendGap(membership, from, to);
        advance(to);
    }

    /** Runs one of the two steps with the response, unless the member has left by then. */
    <A> void request(CompletableFuture<A> request, Consumer<A> step, Runnable failed) {
        long sentNanos = shared.nanoTime.getAsLong();
        shared.sent(membership, request);
        request.whenComplete((response, failure) -> onLoop(() -> {
            if (failure == null) {
                // Time in a queue does not count towards the timeout.
                deadlineNanos += shared.nanoTime.getAsLong() - sentNanos;
                step.accept(response);
            } else {
                logger.debug("catch-up in room {}: a request failed", room.id(), failure);
                failed.run();
            }
        }));
    }

    void retry(Runnable step) {
        after(RETRY_MILLIS, step);
    }

    private void after(long millis, Runnable step) {
        try {
            shared.loop.schedule(guarded(step), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException stopping) {
            // The socket is being closed, too.
        }
    }

    private void onLoop(Runnable step) {
        try {
            shared.loop.execute(guarded(step));
        } catch (RejectedExecutionException stopping) {
            // The socket is being closed, too.
        }
    }

    /** Closes the session if a step fails: the member would wait forever otherwise. It reconnects and resumes. */
    private Runnable guarded(Runnable step) {
        return () -> {
            if (!membership.catchesUp()) {
                end();
                return;
            }
            try {
                step.run();
            } catch (RuntimeException | Error failure) {
                logger.atError()
                        .addKeyValue(LineFields.ROOM, room.id())
                        .setCause(failure)
                        .log("catch-up in room {} failed: closing the session", room.id());
                membership.subscriber.close(CloseCode.INTERNAL_ERROR);
                end();
            }
        };
    }
}
