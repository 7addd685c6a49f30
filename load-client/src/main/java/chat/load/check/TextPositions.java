package chat.load.check;

import chat.load.check.MemberHistory.Stay;
import java.util.Arrays;
import java.util.BitSet;

/** Determines the order and positions of a room's TEXTs as far as they are known, and which TEXTs belong to a stay. */
final class TextPositions {
    /** By number: its rank in the order, -1 where it has none. */
    private final int[] ranks;
    /** In the order: the numbers. */
    private final int[] order;
    /** By rank: exclusive lower bound of the position. */
    private final long[] above;
    /** By rank: inclusive upper bound of the position. */
    private final long[] atMost;
    /**
     * Whether both bounds ascend. They do unless an order was violated; then the TEXTs that may belong to a stay are
     * adjacent.
     */
    private final boolean ascending;

    private TextPositions(int texts, int[] order, long[] above, long[] atMost) {
        this.order = order;
        this.above = above;
        this.atMost = atMost;
        this.ascending = ascends(above) && ascends(atMost);
        this.ranks = new int[texts];
        Arrays.fill(ranks, -1);
        for (int i = 0; i < order.length; i++) if (ranks[order[i]] < 0) ranks[order[i]] = i;
    }

    private static boolean ascends(long[] values) {
        for (int i = 1; i < values.length; i++) if (values[i] < values[i - 1]) return false;
        return true;
    }

    /**
     * Returns the first index whose value is above {@code least} in ascending values, or their number if there is
     * none.
     */
    private static int firstAbove(long[] values, long least) {
        int low = 0;
        int high = values.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (values[middle] > least) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    /** Every row has its position. */
    static TextPositions stored(StoredRoom rows, int texts) {
        long[] above = rows.positions().clone();
        for (int i = 0; i < above.length; i++) above[i]--;
        return new TextPositions(texts, rows.numbers(), above, rows.positions());
    }

    /**
     * TEXTs between two known positions lie between these positions.
     *
     * @param announced by number, 0 if no position is known
     */
    static TextPositions announced(int[] order, long[] announced) {
        long[] above = new long[order.length];
        long[] atMost = new long[order.length];
        long low = -1;
        for (int i = 0; i < order.length; i++) {
            long position = announced[order[i]];
            above[i] = position > 0 ? position - 1 : low;
            if (position > 0) low = position;
        }
        long high = Long.MAX_VALUE;
        for (int i = order.length - 1; i >= 0; i--) {
            long position = announced[order[i]];
            if (position > 0) high = position;
            atMost[i] = high;
        }
        return new TextPositions(announced.length, order, above, atMost);
    }

    /**
     * Returns the TEXTs that a member must have received.
     *
     * @param everyone TEXTs known to be in the log
     */
    BitSet expectedBy(MemberHistory member, BitSet everyone) {
        if (member.isWhole()) return everyone;
        BitSet expected = new BitSet(everyone.length());
        for (Stay stay : member.stays()) addStay(stay, expected);
        expected.and(everyone);
        return expected;
    }

    private void addStay(Stay stay, BitSet expected) {
        if (stay.whole()) {
            expected.set(0, ranks.length);
            return;
        }
        int first = Integer.MAX_VALUE;
        int last = -1;
        for (int i = 0; i < stay.length(); i++) {
            int rank = ranks[stay.order()[stay.offset() + i]];
            if (rank < 0) continue;
            first = Math.min(first, rank);
            last = Math.max(last, rank);
        }
        int from = ascending ? firstAbove(atMost, stay.from()) : 0;
        int end = ascending ? firstAbove(above, stay.until() - 1) : order.length;
        for (int rank = from; rank < end; rank++) {
            boolean maybe = atMost[rank] > stay.from() && above[rank] < stay.until();
            boolean betweenReceived = rank >= first && rank <= last;
            boolean surely = stay.from() >= 0 && above[rank] >= stay.from() && atMost[rank] <= stay.until();
            if (maybe && (betweenReceived || surely)) expected.set(order[rank]);
        }
    }
}
