package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The members of one room whose sockets share an event loop. The partition's thread decides who belongs to it, and when;
 * the list itself is confined to the loop, so a frame reaches exactly those who were added before it. Adding and removing
 * take the same time whatever its size.
 */
final class LoopMembers {
    private static final int FIRST_CAPACITY = 4;

    final EventLoopQueue lane;
    private @Nullable Membership[] members = new @Nullable Membership[FIRST_CAPACITY];
    private int size;
    /** As the partition sees it; on its thread only. */
    private int live;

    LoopMembers(EventLoopQueue lane) {
        this.lane = lane;
    }

    /** Members that get what is handed over from now on. On the partition's thread. */
    int live() {
        return live;
    }

    /** On the partition's thread. */
    void add(Membership membership) {
        live++;
        lane.execute(() -> place(membership));
    }

    /** On the partition's thread. */
    void remove(Membership membership) {
        live--;
        lane.execute(() -> displace(membership));
    }

    /** Closes all of them, who would miss something otherwise. On the partition's thread; nobody is added any more. */
    void abandon() {
        live = 0;
        lane.execute(() -> {
            for (int i = 0; i < size; i++) at(i).subscriber.close(CloseCode.INTERNAL_ERROR);
        });
    }

    private Membership at(int place) {
        Membership member = members[place];
        if (member == null) throw new IllegalStateException("nobody at " + place + " of " + size);
        return member;
    }

    private void place(Membership membership) {
        if (size == members.length) members = Arrays.copyOf(members, size * 2);
        membership.place = size;
        members[size++] = membership;
    }

    private void displace(Membership membership) {
        Membership last = at(--size);
        members[membership.place] = last;
        last.place = membership.place;
        members[size] = null;
        if (size < members.length / 4 && members.length > FIRST_CAPACITY)
            members = Arrays.copyOf(members, members.length / 2);
    }

    /** Writes the frame to each, each with an index of its own into the same bytes. On the loop. */
    void write(ByteBuf frame) {
        for (int i = 0; i < size; i++) EventLoopQueue.share(at(i), frame);
    }

    /** On the loop. */
    void flush() {
        for (int i = 0; i < size; i++) EventLoopQueue.flush(at(i).subscriber);
    }
}
