package chat.server.room;

import chat.log.LineFields;
import chat.protocol.ClientFrame.Since;
import chat.protocol.CloseCode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a member that wants the past up to the present: from the room's memory where that reaches back, else page by
 * page from the history, and what that does not have yet, or can't tell, from the log. It reads by cursor, only as fast
 * as the socket takes it, and is live where the cursor meets the newest message, so nothing is buffered
 * for it but a page. What none of them has is told as a gap. Runs on the partition's thread.
 */
final class CatchUp {
    private static final Logger logger = LoggerFactory.getLogger(CatchUp.class);
    private static final long RETRY_MILLIS = 100;

    /** Ids of the last messages that a member got from the log: what is repeated there follows soon. */
    private static final int IDS_FROM_THE_LOG = 2_048;

    private static final History.Gap NONE = new History.Gap(-1, -1);

    private final RoomSettings settings;
    private final History history;
    private final Backlog backlog;
    private final DedupWindow window;
    private final Epochs origins;
    private final BiConsumer<Room, Epochs.Hole> lostEnd;
    private final ScheduledExecutorService loop;
    private final LongSupplier nanoTime;
    private final RoomCounters counters;
    private final CatchUpScheduler scheduler;
    private History.Gap givenTwice = NONE;
    /** Those that wait for an answer, and those answered since the last tick. */
    private final List<Question> questions = new ArrayList<>();

    /**
     * @param window of the partition, to recognise messages that the log holds twice
     * @param origins of the log, as it was read
     * @param lostEnd called with a lost end of the log that a member of the room has proven
     * @param nanoTime as {@link System#nanoTime}
     * @param scheduler of all partitions
     */
    CatchUp(
            RoomSettings settings,
            History history,
            Backlog backlog,
            DedupWindow window,
            Epochs origins,
            BiConsumer<Room, Epochs.Hole> lostEnd,
            ScheduledExecutorService loop,
            LongSupplier nanoTime,
            RoomCounters counters,
            CatchUpScheduler scheduler) {
        this.settings = settings;
        this.history = history;
        this.backlog = backlog;
        this.window = window;
        this.origins = origins;
        this.lostEnd = lostEnd;
        this.loop = loop;
        this.nanoTime = nanoTime;
        this.counters = counters;
        this.scheduler = scheduler;
    }

    /**
     * Positions that the log has given out twice, as it had lost what they stood for. Rows of that may be stored, and what was
     * said there later not yet: so all of it is told as a gap.
     */
    void givenTwice(long from, long to) {
        givenTwice = new History.Gap(from, to);
    }

    /** @param joinedAt position of the member's own JOIN */
    void begin(Room room, Membership membership, long joinedAt) {
        switch (membership.since) {
            case Since.Now now -> new Attempt(room, membership, joinedAt - 1).resume(false);
            case Since.Resume resume -> resume(room, membership, resume.position(), joinedAt);
            case Since.History wanted ->
                new Attempt(room, membership, joinedAt - 1).history(joinedAt, wanted.messages(), true);
        }
    }

    /**
     * A client that gives a position in a lost end has received a message that the log does not have any more, or forges it. So
     * the members of its room receive a GAP, and nothing else follows. It is the same for a position above the own JOIN, but
     * only the client itself receives a GAP for that.
     */
    private void resume(Room room, Membership membership, long position, long joinedAt) {
        Epochs.Hole hole = origins.at(position);
        if (hole != null && position > hole.from()) lostEnd.accept(room, hole);
        Attempt attempt = new Attempt(room, membership, Math.min(position, joinedAt - 1));
        attempt.resume(position >= joinedAt);
    }

    /** Takes back the questions of those who do not wait any more; to be called every quarter of a second or so. */
    void tick() {
        questions.removeIf(Question::isOver);
        scheduler.tick();
    }

    private record Question(Membership by, CompletableFuture<?> answer) {
        /** Unanswered it waits among those of others, for whom there is less to do without it. */
        boolean isOver() {
            if (!by.catchesUp()) answer.cancel(false);
            return answer.isDone();
        }
    }

    private final class Attempt {
        private final Room room;
        private final Membership membership;
        private final CatchUpScheduler.Permit permit;
        /** Everything up to here was sent, or will never be. */
        private long cursor;
        /** Where the cursor began. */
        private long began;
        /** Lost ends of the log for which the member has received a GAP. */
        private final Set<Epochs.Hole> lostTold = new HashSet<>(0);
        /** What is left of the last page: its messages and gaps, and up to where it tells everything. */
        private final Deque<RecentMessage> messages = new ArrayDeque<>();

        private final Deque<History.Gap> gaps = new ArrayDeque<>();
        private long pageEnd;

        /** Nothing has told more since it got on last. */
        private boolean failing;

        private long patientUntilNanos;
        /** The history could not say more: the log is asked until that can't either. */
        private boolean historyExhausted;

        private @Nullable DedupWindow idsFromTheLog;

        Attempt(Room room, Membership membership, long cursor) {
            this.room = room;
            this.membership = membership;
            this.permit = scheduler.permit(membership);
            this.cursor = cursor;
            this.began = cursor;
            this.pageEnd = cursor;
        }

        /**
         * To be asked where nothing tells more now. Time counts from the first of such failures on: neither a socket that takes
         * nothing nor a question that waits long before it fails is lack of patience.
         */
        private boolean patient() {
            long now = nanoTime.getAsLong();
            if (!failing) patientUntilNanos = now + settings.historyPatience().toNanos();
            failing = true;
            return now - patientUntilNanos < 0;
        }

        /** @param fromAbove it gave a position above its own JOIN: the server does not know what it has missed */
        void resume(boolean fromAbove) {
            room.welcome(membership, cursor);
            if (fromAbove) gap(0, cursor);
            (inMemory() ? counters.resumedFromMemory : counters.resumedFromHistory).increment();
            proceed();
        }

        private boolean inMemory() {
            return cursor >= room.recent().coversAfter();
        }

        private void proceed() {
            while (membership.catchesUp()) {
                long delayNanos = scheduler.delayNanos(membership);
                if (delayNanos > 0 || !membership.subscriber.keepsUp()) {
                    waitWithPermit(delayNanos);
                    return;
                }
                tellLostEnds();
                Epochs.Hole hole = origins.at(cursor);
                if (cursor >= membership.leftAt) {
                    room.finish(membership);
                } else if (!messages.isEmpty() || !gaps.isEmpty()) {
                    sendSome();
                } else if (cursor >= givenTwice.from() && cursor < givenTwice.to()) {
                    gap(cursor, givenTwice.to());
                } else if (hole != null) {
                    pass(hole);
                } else if (inMemory()) {
                    sendRemembered();
                } else {
                    askForMore();
                    return;
                }
            }
            end();
        }

        private void pass(Epochs.Hole hole) {
            // The history may be complete up to an entry without messages, which lies there in a sound log.
            if (hole.proves(cursor) || room.hasLost(hole)) {
                lostTold.add(hole);
                gap(cursor, hole.to());
            } else {
                advance(hole.to());
            }
        }

        /** A lost end may become known when this member has gone past it, and is not live yet. */
        private void tellLostEnds() {
            for (Epochs.Hole hole : origins.holes(began, cursor))
                if (room.hasLost(hole) && lostTold.add(hole))
                    room.sendGap(membership, Math.max(began, hole.from()), hole.to());
        }

        private void end() {
            letGo();
            permit.release();
            room.told(membership);
        }

        /** What is left of its page is not needed any more. */
        private void letGo() {
            counters.pageMessages.add(-messages.size());
            messages.clear();
            gaps.clear();
        }

        /**
         * Waits until the socket has taken more, or the user's budget has recovered. Only the room that has the session's
         * permit looks again and again. It drops its page where others wait for the memory, and reads it again later.
         */
        private void waitWithPermit(long delayNanos) {
            boolean holdsPage = !messages.isEmpty() || !gaps.isEmpty();
            if (holdsPage && scheduler.isOutOfMemory()) {
                counters.catchUpDropped.increment();
                letGo();
                holdsPage = false;
            }
            if (!holdsPage) permit.dropPage();
            if (permit.isIdle()) {
                whenGranted(permit.acquire(), this::proceed);
                return;
            }
            after(Math.max(RETRY_MILLIS, TimeUnit.NANOSECONDS.toMillis(delayNanos)), this::proceed);
        }

        private void whenGranted(CompletableFuture<CatchUpScheduler.Permit> granted, Runnable step) {
            if (granted.isDone()) {
                step.run();
                return;
            }
            // A waiting member keeps no memory of the log that it has read.
            if (idsFromTheLog != null) {
                idsFromTheLog = null;
                counters.backlogIdsForgotten.increment();
            }
            ask(granted, unused -> step.run(), this::end);
        }

        private void askForMore() {
            if (!permit.isReading()) {
                whenGranted(permit.acquireRead(), this::proceed);
                return;
            }
            int page = settings.historyPage();
            long upTo = room.recent().coversAfter();
            if (historyExhausted) ask(backlog.first(next(cursor, upTo), page), this::readOn, this::notYet);
            else ask(history.after(room.id(), cursor, page), this::turnPage, this::askTheLog);
        }

        private void askTheLog() {
            historyExhausted = true;
            proceed();
        }

        private Backlog.Stretch next(long after, long upTo) {
            Epochs.Span span = origins.following(after);
            return new Backlog.Stretch(room.id(), span.origin(), after, Math.min(upTo, span.through()));
        }

        /** Of the latest origin alone: a later step reads the messages before it if the member wants them. */
        private Backlog.Stretch last(long after, long upTo) {
            Epochs.Span span = origins.of(upTo);
            return new Backlog.Stretch(room.id(), span.origin(), Math.max(after, span.before()), upTo);
        }

        /** What memory has: at most about a frame of it, or all and then it is done. */
        private void sendRemembered() {
            List<RecentMessage> remembered = room.recent().between(cursor, membership.leftAt);
            int count = 0;
            int bytes = 0;
            while (count < remembered.size() && bytes < Frames.MAX_BYTES)
                bytes += remembered.get(count++).json().length;
            room.sendTo(membership, remembered.subList(0, count));
            scheduler.charge(membership, bytes);
            if (count == remembered.size()) room.finish(membership);
            else advance(remembered.get(count - 1).position());
        }

        /** The next of the page: at most about a frame, up to the next gap, and nothing that memory has. */
        private void sendSome() {
            long end = Math.min(room.recent().coversAfter(), membership.leftAt);
            History.Gap gap = gaps.peek();
            long portionEnd = gap == null ? end : Math.min(end, gap.from());
            List<RecentMessage> portion = new ArrayList<>();
            int bytes = 0;
            RecentMessage next;
            while ((next = messages.peek()) != null && next.position() <= portionEnd && bytes < Frames.MAX_BYTES) {
                portion.add(messages.remove());
                bytes += next.json().length;
            }
            counters.pageMessages.add(-portion.size());
            if (!portion.isEmpty()) {
                scheduler.charge(membership, bytes);
                room.sendTo(membership, portion);
                advance(portion.getLast().position());
            } else if (gap != null && gap.from() < end) {
                gaps.remove();
                gap(Math.max(cursor, gap.from()), Math.min(gap.to(), end));
            } else {
                // The rest of the page lies where memory begins, or behind the member's LEAVE.
                letGo();
            }
            if (messages.isEmpty() && gaps.isEmpty()) {
                advance(Math.min(pageEnd, end));
                permit.release(); // behind other rooms of the session, and other users
            }
        }

        private void advance(long to) {
            if (to <= cursor) return;
            cursor = to;
            failing = false;
        }

        private void turnPage(History.Page page) {
            if (hasMore(page)) proceed();
            else askTheLog(); // the consumer has not stored yet what memory has forgotten
        }

        private void readOn(Backlog.Piece piece) {
            boolean complete = piece.from() <= cursor;
            // What the log has lost may be stored by now, or soon.
            if ((complete || !patient()) && hasMore(page(piece, cursor))) proceed();
            else notYet();
        }

        private boolean hasMore(History.Page page) {
            long before = cursor;
            take(page);
            if (!messages.isEmpty() || !gaps.isEmpty()) return true;
            permit.release();
            advance(Math.min(pageEnd, room.recent().coversAfter()));
            return cursor > before;
        }

        /** What a piece of the log tells from there on; each message once. */
        private History.Page page(Backlog.Piece piece, long after) {
            List<RecentMessage> once = new ArrayList<>();
            long now = TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong());
            DedupWindow read = idsFromTheLog;
            if (read == null)
                read = idsFromTheLog =
                        new DedupWindow(IDS_FROM_THE_LOG, Long.MAX_VALUE, now, counters.backlogIdsForgotten);
            for (Backlog.Found found : piece.messages()) {
                RecentMessage message = unlessRepeated(found, read, now);
                if (message != null && message.position() > after) once.add(message);
            }
            List<History.Gap> lost = new ArrayList<>();
            if (piece.from() > after) lost.add(new History.Gap(after, piece.from()));
            lost.addAll(piece.unreadable());
            return new History.Page(once, false, piece.through(), lost);
        }

        /** Null where it stood in the log before; under its derived id where its own was another message's. */
        private @Nullable RecentMessage unlessRepeated(Backlog.Found found, DedupWindow read, long now) {
            RecentMessage message = found.message();
            long before = before(read, found.keyHigh(), found.keyLow(), found.content(), message, now);
            if (!DedupWindow.isConflict(before)) return before == DedupWindow.NEW ? message : null;
            Renamed renamed = Renamed.of(room.id(), message.json());
            if (renamed == null) return message;
            MessageKey key = new MessageKey().of(room.key(), renamed.id(), renamed.userId());
            boolean isNew = before(read, key.high(), key.low(), found.content(), message, now) == DedupWindow.NEW;
            return isNew ? new RecentMessage(message.position(), renamed.json()) : null;
        }

        /** The answer of either window where it is about an earlier message, else {@link DedupWindow#NEW}. */
        private long before(DedupWindow read, long high, long low, long content, RecentMessage message, long now) {
            long known = window.look(high, low, content);
            if (isEarlier(known, message)) return known;
            long here = read.firstPosition(high, low, content, message.position(), now);
            return isEarlier(here, message) ? here : DedupWindow.NEW;
        }

        private static boolean isEarlier(long answer, RecentMessage message) {
            return answer != DedupWindow.NEW && DedupWindow.positionOf(answer) < message.position();
        }

        private void take(History.Page whole) {
            History.Page page = upToGivenTwice(whole);
            permit.read(bytes(page));
            messages.addAll(page.messages());
            counters.pageMessages.add(page.messages().size());
            gaps.addAll(page.gaps());
            pageEnd = page.more() && !page.messages().isEmpty()
                    ? page.messages().getLast().position()
                    : Math.max(
                            page.storedThrough(),
                            page.messages().isEmpty()
                                    ? -1
                                    : page.messages().getLast().position());
        }

        private static long bytes(History.Page page) {
            long bytes = (long) RoomSettings.MESSAGE_OVERHEAD
                    * (page.messages().size() + page.gaps().size());
            for (RecentMessage message : page.messages()) bytes += message.json().length;
            return bytes;
        }

        private History.Page upToGivenTwice(History.Page page) {
            long end = givenTwice.from();
            if (cursor >= end) return page;
            return new History.Page(
                    page.messages().stream()
                            .filter(message -> message.position() <= end)
                            .toList(),
                    page.more(),
                    Math.min(page.storedThrough(), end),
                    page.gaps().stream().filter(gap -> gap.from() < end).toList());
        }

        private void notYet() {
            historyExhausted = false;
            permit.release();
            if (patient()) {
                after(RETRY_MILLIS, this::proceed);
                return;
            }
            gap(cursor, room.recent().coversAfter());
            proceed();
        }

        private void gap(long from, long to) {
            if (to <= from) return;
            counters.resumeGaps.increment();
            room.sendGap(membership, from, to);
            advance(to);
        }

        /** Where the history fails, it is asked once more; then the member gets what the log and memory have. */
        void history(long joinedAt, int wanted, boolean again) {
            if (!membership.catchesUp()) {
                end();
                return;
            }
            List<RecentMessage> recent = room.recent().before(joinedAt, wanted);
            if (recent.size() == wanted) {
                counters.resumedFromMemory.increment();
                startWith(recent, new History.Page(List.of(), false, -1, List.of()), joinedAt);
                return;
            }
            if (!permit.isReading()) {
                whenGranted(permit.acquireRead(), () -> history(joinedAt, wanted, again));
                return;
            }
            ask(
                    history.before(room.id(), joinedAt, wanted),
                    page -> bridge(page, joinedAt, wanted, () -> {
                        if (patient()) askAgain(joinedAt, wanted, again);
                        else combine(page, joinedAt, wanted);
                    }),
                    () -> {
                        if (again) askAgain(joinedAt, wanted, false);
                        else withoutHistory(joinedAt, wanted);
                    });
        }

        private void askAgain(long joinedAt, int wanted, boolean again) {
            permit.release();
            after(RETRY_MILLIS, () -> history(joinedAt, wanted, again));
        }

        /** Between what is stored and what is remembered lies what the log has, if all of it. */
        private void bridge(History.Page stored, long joinedAt, int wanted, Runnable notTold) {
            long from = stored.storedThrough();
            if (from >= beforeJoin(joinedAt)) {
                combine(stored, joinedAt, wanted);
                return;
            }
            int missing = missing(joinedAt, wanted);
            askForLast(from, joinedAt, missing, notTold, piece -> {
                if (piece.from() > from) {
                    // It does not reach back to what is stored. As many as asked for will do, repetitions among
                    // them; else the log tells later what lies between.
                    History.Page end = page(piece, piece.from());
                    boolean enough = piece.messages().size() >= missing
                            && !end.messages().isEmpty();
                    combine(enough || stored.messages().isEmpty() ? end : stored, joinedAt, wanted);
                    return;
                }
                History.Page read = page(piece, from);
                List<RecentMessage> both = new ArrayList<>(stored.messages());
                for (RecentMessage message : read.messages())
                    if (both.isEmpty() || message.position() > both.getLast().position()) both.add(message);
                List<History.Gap> lost = new ArrayList<>(stored.gaps());
                lost.addAll(read.gaps());
                combine(new History.Page(both, false, read.storedThrough(), lost), joinedAt, wanted);
            });
        }

        private void withoutHistory(long joinedAt, int wanted) {
            History.Page nothing = new History.Page(List.of(), false, -1, List.of());
            Runnable notTold = () -> combine(nothing, joinedAt, wanted);
            askForLast(-1, joinedAt, missing(joinedAt, wanted), notTold, piece -> {
                combine(page(piece, piece.from()), joinedAt, wanted);
            });
        }

        private void askForLast(
                long after, long joinedAt, int count, Runnable notTold, Consumer<Backlog.Piece> answer) {
            ask(backlog.last(last(after, beforeJoin(joinedAt)), count), answer, notTold);
        }

        /** Where memory begins, or the own JOIN stands: so much may have been said since that memory begins later. */
        private long beforeJoin(long joinedAt) {
            return Math.min(room.recent().coversAfter(), joinedAt - 1);
        }

        /** How many of the last messages memory lacks. */
        private int missing(long joinedAt, int wanted) {
            return wanted - room.recent().before(joinedAt, wanted).size();
        }

        /**
         * The last messages of what the history and the memory have, the memory's where both do. Of messages of one position
         * none is left out: who asks for what is older asks by the position.
         */
        private void combine(History.Page page, long joinedAt, int wanted) {
            counters.resumedFromHistory.increment();
            List<RecentMessage> recent = room.recent().before(joinedAt, wanted);
            List<RecentMessage> older = page.messages().stream()
                    .filter(message -> message.position() <= room.recent().coversAfter())
                    .toList();
            int begin = Math.max(0, older.size() - (wanted - recent.size()));
            while (begin > 0
                    && begin < older.size()
                    && older.get(begin - 1).position() == older.get(begin).position()) begin--;
            List<RecentMessage> last = new ArrayList<>(older.subList(begin, older.size()));
            last.addAll(recent);
            startWith(last, page, joinedAt);
        }

        /** Welcomes with the oldest of them and goes on as if that had been resumed. */
        private void startWith(List<RecentMessage> all, History.Page page, long joinedAt) {
            if (!all.isEmpty()) cursor = all.getFirst().position() - 1;
            began = cursor;
            room.welcome(membership, cursor);
            if (!inMemory()) {
                List<RecentMessage> older = all.stream()
                        .filter(message -> message.position() <= room.recent().coversAfter())
                        .toList();
                List<History.Gap> within =
                        page.gaps().stream().filter(gap -> gap.to() > cursor).toList();
                // What was stored behind the own JOIN was not asked for.
                take(new History.Page(older, false, Math.min(page.storedThrough(), joinedAt - 1), within));
            } else {
                permit.release();
            }
            proceed();
        }

        private <A> void ask(CompletableFuture<A> question, Consumer<A> answer, Runnable failed) {
            long askedNanos = nanoTime.getAsLong();
            questions.add(new Question(membership, question));
            question.whenComplete((told, failure) -> onLoop(() -> {
                if (failure == null) {
                    // Waiting for one's turn is no lack of progress.
                    patientUntilNanos += nanoTime.getAsLong() - askedNanos;
                    answer.accept(told);
                } else {
                    logger.debug("nothing is told of {}", room.id(), failure);
                    failed.run();
                }
            }));
        }

        private void after(long millis, Runnable step) {
            try {
                loop.schedule(guarded(step), millis, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException stopping) {
                // The socket is being closed, too.
            }
        }

        /** Who is stuck halfway would wait for ever: let it come back and resume. */
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
                            .log("a member of {} could not be caught up", room.id());
                    membership.subscriber.close(CloseCode.INTERNAL_ERROR);
                    end();
                }
            };
        }

        private void onLoop(Runnable step) {
            try {
                loop.execute(guarded(step));
            } catch (RejectedExecutionException stopping) {
                // The socket is being closed, too.
            }
        }
    }
}
