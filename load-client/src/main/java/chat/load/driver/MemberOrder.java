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
 * What one member received, in order, stay by stay: a slice of the room's order as long as they agree, and a list of its own
 * from the first difference on. So a faultless run costs a few numbers per member, not one per delivery.
 */
final class MemberOrder {
    /** After so many TEXTs that nobody else has seen, there is nobody who would know what stands between. */
    private static final int LONGEST_WAIT = 256;

    private final RoomOrder room;
    private final int texts;
    private final List<Stay> past = new ArrayList<>(0);
    private final List<Gap> gaps = new ArrayList<>(0);

    private boolean inStay;
    private boolean whole;
    private long from;
    /** Where the stay's first TEXT stands in the room's order; -1: nothing came yet. */
    private int start;

    private int length;
    private int distinct;
    private boolean hadGap;
    private int @Nullable [] own;
    private @Nullable BitSet ownSeen;
    /** Whether the list is its own only until somebody who was there before has seen its first TEXT. */
    private boolean waiting;

    MemberOrder(RoomOrder room, int texts) {
        this.room = room;
        this.texts = texts;
    }

    /**
     * @param position everything after it is to come, -1 where the server does not say
     * @param fromBeginning whether nobody can have sent anything before
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

    /** @param position everything up to it has to have come; {@link Long#MAX_VALUE}: all there ever is */
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

    /** Whether it is in its first stay, and was there before anybody sent anything. */
    boolean isWhole() {
        return inStay && whole;
    }

    /** @return how many of these it had not received before, in this stay */
    int receive(int[] batch) {
        if (batch.length == 0) return 0;
        if (start < 0 && !waiting) begin(room.place(batch[0]));
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

    /** @param place of its first TEXT, -1: nobody has seen that */
    private void begin(int place) {
        if (place >= 0) start = place;
        else if (whole || room.size() == 0) start = room.size();
        else {
            // Its first TEXT may have come to it before what stands between came to the others: then it does not belong
            // at
            // the end of what they saw.
            waiting = true;
            own = new int[16];
            ownSeen = new BitSet();
        }
    }

    private void joinOthers() {
        int[] list = Objects.requireNonNull(own);
        int place = room.place(list[0]);
        if (place < 0 && length < LONGEST_WAIT) return;
        waiting = false;
        int from = place < 0 ? room.size() : place;
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
            // A server gone mad must not fill the heap: what is beyond twice everything proves nothing more.
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

    /** Different TEXTs received; of several stays, added up. */
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
