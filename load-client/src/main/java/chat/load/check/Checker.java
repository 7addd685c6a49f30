package chat.load.check;

import chat.load.check.Verdict.Check;
import chat.load.plan.Numbering;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares the messages sent, accepted, received and stored, id by id. It reads only what the driver recorded and
 * none of the driver's conclusions.
 */
public final class Checker {
    private final RunHistory history;
    private final Numbering numbering;

    private final Breaches whole = new Breaches("the run came to its end");
    private final Breaches accepted = new Breaches("every TEXT was accepted");
    private final Breaches lost = new Breaches("accepted is stored");
    private final Breaches rows = new Breaches("rows are unique");
    private final Breaches phantomRows = new Breaches("nothing is stored that was not sent");
    private final Breaches refusedRows = new Breaches("refused is not stored");
    private final Breaches altered = new Breaches("rows hold what was sent");
    private final Breaches rowOrder = new Breaches("rows ascend by position");
    private final Breaches missing = new Breaches("every member received every TEXT");
    private final Breaches twice = new Breaches("nobody received a TEXT twice");
    private final Breaches phantoms = new Breaches("nobody received what was not sent");
    private final Breaches refusedSeen = new Breaches("nobody received what was refused");
    private final Breaches oneOrder = new Breaches("all members of a room saw one order");
    private final Breaches storedOrder = new Breaches("that order is the stored one");
    private final Breaches ownOrder = new Breaches("each sender's own order was kept");
    private final Breaches positions = new Breaches("positions told are positions stored");
    private final Breaches gaps = new Breaches("history fills every GAP");
    private final Breaches protocol = new Breaches("servers kept to the protocol");

    private boolean storageAsked = true;
    private long countInvoked;
    private long countAccepted;
    private long countRefused;
    private long countUnknown;
    private long countRecovered;
    private long countStored;
    private long countExpected;
    private long countReceived;

    private Checker(RunHistory history) {
        this.history = history;
        this.numbering = history.numbering();
    }

    public static Verdict check(RunHistory history) {
        return new Checker(history).check();
    }

    private Verdict check() {
        for (String reason : history.aborted()) whole.add(() -> reason);
        for (String violation : history.violations()) protocol.add(() -> violation);
        protocol.add(history.violationCount() - history.violations().size(), () -> "and more");
        for (RoomHistory room : history.rooms()) {
            if (room.stored() == null) storageAsked = false;
            new RoomCheck(room).check();
        }
        return new Verdict(
                countInvoked,
                countAccepted,
                countRefused,
                countUnknown,
                countRecovered,
                countStored,
                countExpected,
                countReceived,
                lost.count(),
                missing.count() + gaps.count(),
                twice.count() + rows.count(),
                phantomRows.count() + refusedRows.count() + altered.count() + phantoms.count() + refusedSeen.count(),
                oneOrder.count() + storedOrder.count() + ownOrder.count() + rowOrder.count() + positions.count(),
                checks());
    }

    private List<Check> checks() {
        List<Check> checks = new ArrayList<>();
        checks.add(whole.judged());
        checks.add(accepted.judged());
        for (Breaches needsStorage :
                List.of(lost, rows, phantomRows, refusedRows, altered, rowOrder, storedOrder, positions))
            checks.add(storageAsked ? needsStorage.judged() : needsStorage.skipped("storage was not asked"));
        for (Breaches live : List.of(missing, twice, phantoms, refusedSeen)) checks.add(live.judged());
        checks.add(
                history.allowed().severalOrders()
                        ? oneOrder.skipped("this kind of server does not promise it")
                        : oneOrder.judged());
        for (Breaches live : List.of(ownOrder, gaps, protocol)) checks.add(live.judged());
        return checks;
    }

    /** Members with identical histories, and their common history. */
    private static final class Received {
        final int firstUser;
        final MemberHistory history;
        int users = 1;
        /** Received live, or inside a GAP that storage fills. */
        final BitSet seen;
        /** The distinct TEXTs in the order of their first delivery. */
        int[] distinct = {};

        int doubles;

        Received(int firstUser, MemberHistory history, int texts) {
            this.firstUser = firstUser;
            this.history = history;
            this.seen = new BitSet(texts);
        }

        boolean isAlso(MemberHistory other) {
            return history.isWhole()
                    && other.isWhole()
                    && !history.hasGaps()
                    && !other.hasGaps()
                    && history.stays()
                            .getFirst()
                            .receivedTheSameAs(other.stays().getFirst());
        }
    }

    private final class RoomCheck {
        private final RoomHistory room;
        private final StoredRoom stored;
        /** Index of each number among the rows, -1 if it is not stored. */
        private final int[] storedRank;

        private final BitSet storedSet = new BitSet();
        /**
         * Reused for each member: allocating an array as long as the room for thousands of members would be too much
         * garbage.
         */
        private final int[] distinct;

        RoomCheck(RoomHistory room) {
            this.room = room;
            StoredRoom rowsOfRoom = room.stored();
            this.stored = rowsOfRoom == null ? new StoredRoom(new int[0], new long[0], 0, 0) : rowsOfRoom;
            this.storedRank = ranks(stored.numbers());
            this.distinct = new int[room.outcomes().length];
        }

        void check() {
            outcomes();
            if (room.stored() != null) storage();
            members();
        }

        private void outcomes() {
            for (int n = 0; n < room.outcomes().length; n++) {
                int number = n;
                switch (room.outcomes()[n]) {
                    case NOT_SENT -> {
                        if (!history.allowed().notSent()) accepted.add(() -> name(number) + " was never sent");
                    }
                    case ACCEPTED -> {
                        countInvoked++;
                        countAccepted++;
                    }
                    case REFUSED -> {
                        countInvoked++;
                        countRefused++;
                        if (!history.allowed().refused()) accepted.add(() -> name(number) + " was refused");
                    }
                    case UNKNOWN -> {
                        countInvoked++;
                        countUnknown++;
                        accepted.add(() -> "nothing was heard of " + name(number));
                    }
                }
            }
        }

        private void storage() {
            long last = Long.MIN_VALUE;
            for (int i = 0; i < stored.numbers().length; i++) {
                int number = stored.numbers()[i];
                long position = stored.positions()[i];
                if (storedSet.get(number)) rows.add(() -> name(number) + " has more than one row");
                storedSet.set(number);
                if (position <= last) rowOrder.add(() -> name(number) + " stands at " + position + " out of order");
                last = position;
                long announced = room.announced()[number];
                if (announced != 0 && announced != position)
                    positions.add(() -> name(number) + " was told at " + announced + ", is stored at " + position);
                switch (room.outcomes()[number]) {
                    case NOT_SENT -> phantomRows.add(() -> name(number) + " is stored and was never sent");
                    case REFUSED -> refusedRows.add(() -> name(number) + " is stored and was refused");
                    case UNKNOWN -> countRecovered++;
                    case ACCEPTED -> {}
                }
            }
            countStored += storedSet.cardinality();
            phantomRows.add(stored.foreign(), () -> "room " + room.roomId() + " holds rows that nobody sent");
            altered.add(stored.altered(), () -> "room " + room.roomId() + " holds rows of other senders or texts");
            for (int n = 0; n < room.outcomes().length; n++) {
                int number = n;
                if (room.outcomes()[n] == Outcome.ACCEPTED && !storedSet.get(n))
                    lost.add(() -> name(number) + " was accepted and is not stored");
            }
            keepsOwnOrder(stored.numbers(), "the stored order");
        }

        private void members() {
            List<Received> received = new ArrayList<>();
            BitSet seen = new BitSet(room.outcomes().length);
            for (int user = 0; user < room.members().size(); user++) {
                MemberHistory member = room.members().get(user);
                countReceived += member.received();
                if (!received.isEmpty() && received.getLast().isAlso(member)) {
                    received.getLast().users++;
                    continue;
                }
                received.add(read(user, member));
                seen.or(received.getLast().seen);
            }
            phantoms.add(room.phantoms(), () -> "room " + room.roomId() + " delivered what nobody sent");
            for (int n = seen.nextSetBit(0); n >= 0; n = seen.nextSetBit(n + 1)) seenAnywhere(n);
            if (received.isEmpty()) return;
            BitSet everyone = expected();
            everyone.or(seen);
            // Rejected and unsent TEXTs are reported on their own; members that lack them are not reported again.
            for (int n = 0; n < room.outcomes().length; n++) {
                if (room.outcomes()[n] == Outcome.REFUSED || room.outcomes()[n] == Outcome.NOT_SENT) everyone.clear(n);
            }
            Received common = reference(received);
            TextPositions known = textPositions(common);
            for (Received one : received) complete(one, known.expectedBy(one.history, everyone));
            order(received, common);
        }

        /** Determines positions from storage, or from members that were present for the whole run. */
        private TextPositions textPositions(Received common) {
            return room.stored() == null
                    ? TextPositions.announced(common.distinct, room.announced())
                    : TextPositions.stored(stored, room.outcomes().length);
        }

        /** TEXTs known to be in the log: every member has to receive them. */
        private BitSet expected() {
            BitSet expected = new BitSet(room.outcomes().length);
            expected.or(storedSet);
            for (int n = 0; n < room.outcomes().length; n++) {
                if (room.outcomes()[n] == Outcome.ACCEPTED) expected.set(n);
            }
            return expected;
        }

        private Received read(int user, MemberHistory member) {
            Received received = new Received(user, member, room.outcomes().length);
            int count = 0;
            for (MemberHistory.Stay stay : member.stays()) count = read(stay, received, count);
            received.distinct = Arrays.copyOf(distinct, count);
            return received;
        }

        private int read(MemberHistory.Stay stay, Received received, int countBefore) {
            BitSet seen = received.seen;
            int count = countBefore;
            int nextGap = 0;
            for (int i = 0; i <= stay.length(); i++) {
                for (; nextGap < stay.gaps().size() && stay.gaps().get(nextGap).at() <= i; nextGap++) {
                    MemberHistory.Gap gap = stay.gaps().get(nextGap);
                    for (int row = 0; row < stored.numbers().length; row++) {
                        long position = stored.positions()[row];
                        int number = stored.numbers()[row];
                        if (position > gap.from() && position <= gap.to() && !seen.get(number)) {
                            seen.set(number);
                            distinct[count++] = number;
                        }
                    }
                }
                if (i == stay.length()) break;
                int number = stay.order()[stay.offset() + i];
                if (seen.get(number)) {
                    received.doubles++;
                } else {
                    seen.set(number);
                    distinct[count++] = number;
                }
            }
            return count;
        }

        private void seenAnywhere(int number) {
            if (room.outcomes()[number] == Outcome.REFUSED)
                refusedSeen.add(() -> name(number) + " was received and was refused");
            if (room.outcomes()[number] == Outcome.NOT_SENT)
                phantoms.add(() -> name(number) + " was received and was never sent");
        }

        private void complete(Received received, BitSet expected) {
            int user = received.firstUser;
            long doubles = (long) received.doubles * received.users;
            twice.add(doubles, () -> member(user) + " received " + received.doubles + " twice");
            countExpected += (long) expected.cardinality() * received.users;
            BitSet absent = (BitSet) expected.clone();
            absent.andNot(received.seen);
            if (absent.isEmpty()) return;
            Breaches breaches = received.history.hasGaps() ? gaps : missing;
            breaches.add(
                    (long) absent.cardinality() * received.users,
                    () -> member(user) + " lacks " + absent.cardinality() + ", the first "
                            + name(absent.nextSetBit(0)));
        }

        private void order(List<Received> received, Received common) {
            int[] commonRank = ranks(common.distinct);
            for (Received one : received) {
                compare(one, commonRank, oneOrder, "the room's");
                if (room.stored() != null) compare(one, storedRank, storedOrder, "the stored one");
            }
            if (!history.allowed().severalOrders()) {
                keepsOwnOrder(common.distinct, "the room's order");
                return;
            }
            for (Received one : received) keepsOwnOrder(one.distinct, "what " + member(one.firstUser) + " saw");
        }

        /**
         * Chooses the order to compare with: the most common one among members present for the whole run. Without
         * such members it is the longest one, because short stays may have seen nothing at all.
         */
        private static Received reference(List<Received> received) {
            Map<Integer, Integer> whole = new HashMap<>();
            for (Received one : received)
                if (one.history.isWhole()) whole.merge(Arrays.hashCode(one.distinct), one.users, Integer::sum);
            return Collections.max(
                    received,
                    Comparator.<Received>comparingInt(one ->
                                    one.history.isWhole() ? whole.getOrDefault(Arrays.hashCode(one.distinct), 0) : 0)
                            .thenComparingInt(one -> one.distinct.length));
        }

        private void compare(Received one, int[] rank, Breaches breaches, String reference) {
            int last = -1;
            for (int number : one.distinct) {
                int here = rank[number];
                if (here < 0) continue;
                if (here < last)
                    breaches.add(
                            one.users,
                            () -> member(one.firstUser) + " saw " + name(number) + " later than " + reference
                                    + " has it");
                last = here;
            }
        }

        private void keepsOwnOrder(int[] order, String where) {
            int[] last = new int[numbering.users()];
            Arrays.fill(last, -1);
            BitSet placed = new BitSet(room.outcomes().length);
            for (int number : order) {
                // Only the first delivery counts; duplicates are reported separately.
                if (room.resent().get(number) || placed.get(number)) continue;
                placed.set(number);
                int user = numbering.userOf(number);
                int sequence = numbering.sequenceOf(number);
                if (sequence < last[user])
                    ownOrder.add(() -> name(number) + " comes after a later one of its sender in " + where);
                last[user] = Math.max(last[user], sequence);
            }
        }

        private int[] ranks(int[] order) {
            int[] ranks = new int[room.outcomes().length];
            Arrays.fill(ranks, -1);
            for (int i = 0; i < order.length; i++) {
                if (ranks[order[i]] < 0) ranks[order[i]] = i;
            }
            return ranks;
        }

        private String name(int number) {
            return "TEXT " + numbering.sequenceOf(number) + " of user " + numbering.userOf(number) + " in "
                    + room.roomId();
        }

        private String member(int user) {
            return "user " + user + " in " + room.roomId();
        }
    }
}
