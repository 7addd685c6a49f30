package chat.load.driver;

import chat.load.check.MemberHistory;
import chat.load.check.MemberHistory.Gap;
import chat.load.check.MemberHistory.Stay;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records what one member received, in order, per stay: as a slice of the room's order while both agree, and as a
 * separate list from the first difference on. A run without faults therefore needs a few numbers per member, not one
 * per delivery.
 */
final class MemberOrder {
    /** After this many TEXTs that only this member has seen, no other member can determine their place. */
    private static final int LONGEST_WAIT = 256;

    private final RoomOrder room;
    private final int texts;
    private final List<Stay> past = new ArrayList<>(0);
    private final List<Gap> gaps = new ArrayList<>(0);

    private boolean inStay;
    private boolean whole;
    private long from;
    /** Index of the stay's first TEXT in the room's order; -1 if nothing has arrived yet. */
    private int start;

    private int length;
    private int distinct;
    private boolean hadGap;
    private int @Nullable [] own;
    private @Nullable BitSet ownSeen;
    /** Whether the separate list is temporary, until a member that was present earlier has seen its first TEXT. */
    private boolean waiting;

    MemberOrder(RoomOrder room, int texts) {
        this.room = room;
        this.texts = texts;
    }

    /**
     * @param position everything after it is expected; -1 if the server sends no positions
     * @param fromBeginning whether nothing can have been sent before
     */
    void begin(long position, boolean fromBeginning) {
        inStay = true;
        whole = fromBeginning;
        from = position;
        start = -1;
        length = 0;
        share();
        gaps.clear();
    }

    /** @param position everything up to it is expected; {@link Long#MAX_VALUE}: everything */
    void end(long position) {
        if (!inStay) return;
        past.add(stay(position));
        inStay = false;
        share();
    }

    private void share() {
        own = null;
        ownSeen = null;
        waiting = false;
    }

    boolean isInStay() {
        return inStay;
    }

    /** Whether it is in its first stay and was present before the first message. */
    boolean isWhole() {
        return inStay && whole;
    }

    /** @return how many of these are new in this stay */
    int receive(int[] batch) {
        if (batch.length == 0) return 0;
        if (start < 0 && !waiting) begin(room.indexOf(batch[0]));
        int taken = 0;
        int fresh = 0;
        if (own == null) {
            taken = room.matches(start + length, batch);
            length += taken;
            while (taken < batch.length && start + length == room.size() && room.append(batch[taken])) {
                length++;
                taken++;
            }
            fresh = taken;
        }
        if (taken < batch.length) fresh += apart(batch, taken);
        distinct += fresh;
        if (waiting) joinOthers();
        return fresh;
    }

    /** @param index of its first TEXT, -1 if no other member has seen it */
    private void begin(int index) {
        if (index >= 0) start = index;
        else if (whole || room.size() == 0) start = room.size();
        else {
            // The first TEXT may have reached this member before the preceding ones reached others: then it does not
            // belong at the end of the room's order.
            waiting = true;
            own = new int[16];
            ownSeen = new BitSet();
        }
    }

    private void joinOthers() {
        int[] list = Objects.requireNonNull(own);
        int index = room.indexOf(list[0]);
        if (index < 0 && length < LONGEST_WAIT) return;
        waiting = false;
        int from = index < 0 ? room.size() : index;
        int taken = room.matches(from, Arrays.copyOf(list, length));
        while (taken < length && from + taken == room.size() && room.append(list[taken])) taken++;
        if (taken < length) return;
        start = from;
        share();
    }

    private int apart(int[] batch, int begin) {
        int[] list = own;
        BitSet seen = ownSeen;
        if (list == null || seen == null) {
            list = Arrays.copyOfRange(room.numbers(), start, start + Math.max(64, length + batch.length));
            seen = new BitSet(texts);
            for (int i = 0; i < length; i++) seen.set(list[i]);
            ownSeen = seen;
        }
        int fresh = 0;
        for (int i = begin; i < batch.length; i++) {
            // Bounds the heap if a server repeats messages endlessly: more than twice everything proves nothing new.
            if (length >= 2 * texts + 64) break;
            if (length == list.length) list = Arrays.copyOf(list, 2 * list.length);
            list[length++] = batch[i];
            if (!seen.get(batch[i])) {
                seen.set(batch[i]);
                fresh++;
            }
        }
        own = list;
        return fresh;
    }

    void gap(long after, long to) {
        gaps.add(new Gap(length, after, to));
        hadGap = true;
    }

    boolean hasGap() {
        return hadGap;
    }

    /** Number of distinct TEXTs received, added up over stays. */
    int distinct() {
        return distinct;
    }

    MemberHistory history() {
        List<Stay> stays = new ArrayList<>(past);
        if (inStay) stays.add(stay(Long.MAX_VALUE));
        return new MemberHistory(stays);
    }

    private Stay stay(long until) {
        int[] list = own;
        return new Stay(
                list == null ? room.numbers() : Arrays.copyOf(list, length),
                list == null ? Math.max(0, start) : 0,
                length,
                List.copyOf(gaps),
                from,
                until,
                whole && until == Long.MAX_VALUE);
    }
}
