package chat.server.room;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the last messages before a JOIN and starts the member's catch-up with them: from memory, the history, and the
 * log for messages between the two. If the history fails twice, memory and the log have to do. Confined to the
 * partition's thread.
 */
final class LastMessages {
    private static final History.Page EMPTY = new History.Page(List.of(), false, -1, List.of());

    private final CatchUpAttempt attempt;
    private final CatchUp shared;
    private final Room room;
    private final long joinedAt;
    private final int wanted;
    private boolean historyFailed;

    /**
     * @param joinedAt position of the JOIN
     * @param wanted number of messages
     */
    LastMessages(CatchUpAttempt attempt, CatchUp shared, Room room, long joinedAt, int wanted) {
        this.attempt = attempt;
        this.shared = shared;
        this.room = room;
        this.joinedAt = joinedAt;
        this.wanted = wanted;
    }

    void load() {
        if (!attempt.membership().catchesUp()) {
            attempt.end();
            return;
        }
        List<RecentMessage> recent = recent();
        if (recent.size() == wanted) {
            shared.counters.resumedFromMemory.increment();
            attempt.startWith(recent, EMPTY, joinedAt);
        } else if (attempt.permit().isReading()) {
            attempt.request(
                    shared.history.before(room.id(), joinedAt, wanted), this::historyRead, this::historyUnavailable);
        } else {
            attempt.whenGranted(attempt.permit().acquireRead(), this::load);
        }
    }

    private void retry() {
        attempt.permit().release();
        attempt.retry(this::load);
    }

    private void historyUnavailable() {
        if (historyFailed) {
            requestFromLog(-1, () -> startWith(EMPTY), piece -> startWith(pages().page(piece, piece.from())));
        } else {
            historyFailed = true;
            retry();
        }
    }

    /** If messages between the history and memory are missing, requests them from the log. */
    private void historyRead(History.Page stored) {
        long storedThrough = stored.storedThrough();
        if (storedThrough >= upTo()) {
            startWith(stored);
            return;
        }
        Runnable failed = () -> {
            if (attempt.mayRetry()) retry();
            else startWith(stored);
        };
        int missing = missing(); // memory may evict messages before the response arrives
        requestFromLog(storedThrough, failed, piece -> startWith(join(stored, piece, storedThrough, missing)));
    }

    /** @param missing number of messages requested from the log */
    private History.Page join(History.Page stored, Backlog.Piece piece, long storedThrough, int missing) {
        if (piece.from() > storedThrough) {
            // The piece does not reach back to the stored messages. Enough messages, duplicates included, make it the
            // start; else the catch-up starts with the stored ones and reads those between later.
            History.Page end = pages().page(piece, piece.from());
            boolean enough =
                    piece.messages().size() >= missing && !end.messages().isEmpty();
            return enough || stored.messages().isEmpty() ? end : stored;
        }
        History.Page read = pages().page(piece, storedThrough);
        List<RecentMessage> both = new ArrayList<>(stored.messages());
        for (RecentMessage message : read.messages())
            if (both.isEmpty() || message.position() > both.getLast().position()) both.add(message);
        List<History.Gap> gaps = new ArrayList<>(stored.gaps());
        gaps.addAll(read.gaps());
        return new History.Page(both, false, read.storedThrough(), gaps);
    }

    /**
     * Requests the last missing messages of the latest epoch; the catch-up reads earlier ones later if it needs them.
     */
    private void requestFromLog(long after, Runnable failed, Consumer<Backlog.Piece> step) {
        Epochs.Span span = shared.epochs.of(upTo());
        Backlog.Stretch stretch = new Backlog.Stretch(room.id(), span.epoch(), Math.max(after, span.before()), upTo());
        attempt.request(shared.backlog.last(stretch, missing()), step, failed);
    }

    /** The last position that memory does not cover; at most the one before the JOIN. */
    private long upTo() {
        return Math.min(room.recent().coversAfter(), joinedAt - 1);
    }

    private int missing() {
        return wanted - recent().size();
    }

    private List<RecentMessage> recent() {
        return room.recent().before(joinedAt, wanted);
    }

    private BacklogPages pages() {
        return attempt.backlogPages();
    }

    /**
     * Starts with the last messages of the page and memory. Messages of one position stay together, because a client
     * requests earlier messages by position.
     */
    private void startWith(History.Page page) {
        shared.counters.resumedFromHistory.increment();
        List<RecentMessage> recent = recent();
        List<RecentMessage> older = page.messages().stream()
                .filter(message -> message.position() <= room.recent().coversAfter())
                .toList();
        int begin = Math.max(0, older.size() - (wanted - recent.size()));
        while (begin > 0
                && begin < older.size()
                && older.get(begin - 1).position() == older.get(begin).position()) begin--;
        List<RecentMessage> last = new ArrayList<>(older.subList(begin, older.size()));
        last.addAll(recent);
        attempt.startWith(last, page, joinedAt);
    }
}
