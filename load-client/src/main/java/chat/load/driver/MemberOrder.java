package chat.load.driver;

import chat.load.check.MemberHistory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one member received, in order: a prefix of the room's order as long as they agree, and a list of its own from the
 * first difference on. So a faultless run costs one number per message, not one per delivery.
 */
final class MemberOrder {
    private final RoomOrder room;
    private final int texts;
    private final List<MemberHistory.Gap> gaps = new ArrayList<>();
    private int length;
    private int distinct;
    private int @Nullable [] own;
    private @Nullable BitSet ownSeen;

    MemberOrder(RoomOrder room, int texts) {
        this.room = room;
        this.texts = texts;
    }

    /** @return how many of these it had not received before */
    int receive(int[] batch) {
        int before = distinct;
        int taken = 0;
        if (own == null) {
            taken = room.matches(length, batch);
            length += taken;
            while (taken < batch.length && length == room.size() && room.append(batch[taken])) {
                length++;
                taken++;
            }
            distinct = length;
        }
        if (taken < batch.length) apart(batch, taken);
        return distinct - before;
    }

    private void apart(int[] batch, int from) {
        int[] list = own;
        BitSet seen = ownSeen;
        if (list == null || seen == null) {
            list = Arrays.copyOf(room.numbers(), Math.max(64, texts));
            seen = new BitSet(texts);
            for (int i = 0; i < length; i++) seen.set(list[i]);
            ownSeen = seen;
        }
        for (int i = from; i < batch.length; i++) {
            // A server gone mad must not fill the heap: what is beyond twice everything proves nothing more.
            if (length >= 2 * texts + 64) break;
            if (length == list.length) list = Arrays.copyOf(list, 2 * list.length);
            list[length++] = batch[i];
            if (!seen.get(batch[i])) {
                seen.set(batch[i]);
                distinct++;
            }
        }
        own = list;
    }

    void gap(long from, long to) {
        gaps.add(new MemberHistory.Gap(length, from, to));
    }

    boolean hasGap() {
        return !gaps.isEmpty();
    }

    /** Different TEXTs received. */
    int distinct() {
        return distinct;
    }

    MemberHistory history() {
        int[] list = own;
        return new MemberHistory(list == null ? room.numbers() : list, length, List.copyOf(gaps));
    }
}
