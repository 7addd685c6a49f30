package chat.load.driver;

import chat.load.check.Outcome;
import chat.load.check.RoomHistory;
import chat.load.check.StoredRoom;
import chat.load.driver.HistoryPages.Busy;
import chat.load.driver.HistoryPages.Page;
import chat.load.driver.HistoryPages.Row;
import chat.load.plan.Numbering;
import chat.load.plan.Plan;
import chat.load.plan.Texts;
import chat.load.plan.Users;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits until accepted messages are stored and reads them back over REST, page by page in ascending position. Blocks
 * its caller.
 */
public final class HistoryReader {
    private static final Duration PROBE = Duration.ofSeconds(10);
    private static final long POLL_MILLIS = 200;

    /** The answer is invalid and a retry cannot help. */
    public static final class Unusable extends Exception {
        private static final long serialVersionUID = 1;

        Unusable(String message) {
            super(message);
        }
    }

    private final HistoryPages pages;
    private final Plan plan;
    private final Texts texts;

    /**
     * @param base such as {@code http://127.0.0.1:8090}
     * @param token sent with each request, null for none
     */
    public HistoryReader(URI base, Plan plan, @Nullable String token) {
        this.pages = new HistoryPages(base, token);
        this.plan = plan;
        this.texts = new Texts(plan);
    }

    /**
     * Requests one page, to check before the run that the service answers. Retries for 10 s if the service answers
     * that it is unavailable.
     *
     * @throws IOException if it does not answer, or stays unavailable
     * @throws Unusable if the answer is no history
     */
    public void probe(String roomId) throws IOException, InterruptedException, Unusable {
        var unused = pages.get(roomId, 0, Busy.class, PROBE);
    }

    /**
     * Queries the position up to which a room is stored, with a minimal response.
     *
     * @return a position; -1 if nothing of the room's partition is stored
     * @throws IOException if the request failed
     */
    long storedThrough(String roomId) throws IOException, InterruptedException, Unusable {
        return HistoryPages.decimal(pages.get(roomId, Long.MAX_VALUE, 1).storedThrough());
    }

    /**
     * Waits until everything accepted is stored, or storage has passed it, or nothing was stored for the plan's
     * timeout; then reads what the run can have stored in every room.
     *
     * @param stored receives the number of accepted messages found since the last call
     * @return the rooms, in order, with their rows
     * @throws IOException if requests failed for the plan's timeout
     */
    public List<RoomHistory> read(List<RoomHistory> rooms, SentIds sent, LongConsumer stored)
            throws IOException, InterruptedException, Unusable {
        await(rooms, sent, stored);
        List<RoomHistory> read = new ArrayList<>(rooms.size());
        for (int room = 0; room < rooms.size(); room++) {
            Rows rows = new Rows(room, sent);
            String roomId = rooms.get(room).roomId();
            long after = rooms.get(room).from();
            while (after >= 0) after = rows.add(patiently(roomId, after));
            read.add(rooms.get(room).withStored(rows.stored()));
        }
        return read;
    }

    private void await(List<RoomHistory> rooms, SentIds sent, LongConsumer stored)
            throws IOException, InterruptedException, Unusable {
        for (int room = 0; room < rooms.size(); room++) {
            RoomHistory history = rooms.get(room);
            BitSet awaited = accepted(history);
            long lastPosition = Arrays.stream(history.announced()).max().orElse(0);
            Rows rows = new Rows(room, sent);
            long position = history.from();
            long movedNanos = System.nanoTime();
            while (!awaited.isEmpty()) {
                Page page = patiently(history.roomId(), position);
                long next = rows.add(page);
                int before = awaited.cardinality();
                rows.removeFrom(awaited);
                int came = before - awaited.cardinality();
                if (came > 0) {
                    movedNanos = System.nanoTime();
                    stored.accept(came);
                }
                position = Math.max(position, rows.lastPosition());
                if (next >= 0 || awaited.isEmpty()) continue;
                // Everything up to this position is stored, or never will be.
                if (HistoryPages.decimal(page.storedThrough()) >= lastPosition && lastPosition > 0 && came == 0) break;
                if (System.nanoTime() - movedNanos > plan.timeout().toNanos()) return;
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    private static BitSet accepted(RoomHistory room) {
        BitSet accepted = new BitSet();
        for (int n = 0; n < room.outcomes().length; n++) {
            if (room.outcomes()[n] == Outcome.ACCEPTED) accepted.set(n);
        }
        return accepted;
    }

    /** Retries, because the consumer may be restarting. */
    private Page patiently(String roomId, long after) throws IOException, InterruptedException, Unusable {
        return pages.get(roomId, after, IOException.class, plan.timeout());
    }

    /** TEXT rows of one room, in the order they were returned. */
    private final class Rows {
        private final int room;
        private final SentIds sent;
        private final Numbering numbering = plan.numbering();
        private final Users users = plan.users();
        private int[] numbers = new int[256];
        private long[] positions = new long[256];
        private int size;
        private int removed;
        private int foreign;
        private int altered;
        private long lastPosition;

        Rows(int room, SentIds sent) {
            this.room = room;
            this.sent = sent;
        }

        /** @return the position after which the next page begins; -1 if there is none */
        long add(Page page) throws Unusable {
            List<Row> rows = page.messages() == null ? List.of() : page.messages();
            for (Row row : rows) {
                long position = HistoryPages.decimal(row.position());
                if (position < 0) throw new Unusable("a row has no position: " + row);
                lastPosition = Math.max(lastPosition, position);
                if ("TEXT".equals(row.messageType())) add(row, position);
            }
            return rows.isEmpty() ? -1 : HistoryPages.decimal(page.next());
        }

        private void add(Row row, long position) {
            UUID id = id(row);
            int number = sent.number(room, id.getMostSignificantBits(), id.getLeastSignificantBits());
            if (number < 0) {
                if (!sent.mayBeOthers(room, id.getMostSignificantBits(), id.getLeastSignificantBits())) foreign++;
                return;
            }
            if (!users.id(room, numbering.userOf(number)).equals(row.userId())
                    || !texts.text(room, number).equals(row.message())) altered++;
            if (size == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * size);
                positions = Arrays.copyOf(positions, 2 * size);
            }
            numbers[size] = number;
            positions[size++] = position;
        }

        /** Returns the row's id; one that no message of the run has if it is not a UUID. */
        private static UUID id(Row row) {
            try {
                return UUID.fromString(row.messageId() == null ? "" : row.messageId());
            } catch (IllegalArgumentException notAnId) {
                return new UUID(0, 0);
            }
        }

        /** Removes the rows found since the last call. */
        void removeFrom(BitSet awaited) {
            for (; removed < size; removed++) awaited.clear(numbers[removed]);
        }

        long lastPosition() {
            return lastPosition;
        }

        StoredRoom stored() {
            return new StoredRoom(Arrays.copyOf(numbers, size), Arrays.copyOf(positions, size), foreign, altered);
        }
    }
}
