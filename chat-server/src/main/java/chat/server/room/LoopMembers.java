package chat.server.room;

import chat.protocol.CloseCode;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/**
 * The members of one room whose sockets share an event loop: one subscriber of the room's sink. The partition's thread
 * adds and removes members; the list itself is confined to the loop, so a frame reaches exactly the members that were
 * added before it. Adding and removing take constant time.
 */
final class LoopMembers implements CoreSubscriber<Room.Publication> {
    private static final int FIRST_CAPACITY = 4;

    final EventLoopQueue queue;
    private @Nullable Membership[] members = new @Nullable Membership[FIRST_CAPACITY];
    private int size;
    /** The number of members from the partition's view; confined to its thread. */
    private int live;

    LoopMembers(EventLoopQueue queue) {
        this.queue = queue;
    }

    /** Requests without bound: {@link FanOut} blocks the partition while too many bytes wait for the loop. */
    @Override
    public void onSubscribe(Subscription subscription) {
        subscription.request(Long.MAX_VALUE);
    }

    /** On the partition's thread. */
    @Override
    public void onNext(Room.Publication publication) {
        if (live > 0) publication.out().add(this, publication.frame());
    }

    /** Does nothing: {@link #abandon} closes the members. */
    @Override
    public void onComplete() {}

    @Override
    public void onError(Throwable failure) {
        throw new IllegalStateException("a room's sink never fails", failure);
    }

    /** The number of members that the next frame reaches. On the partition's thread. */
    int live() {
        return live;
    }

    /** On the partition's thread. */
    void add(Membership membership) {
        live++;
        queue.execute(() -> place(membership));
    }

    /** On the partition's thread. */
    void remove(Membership membership) {
        live--;
        queue.execute(() -> displace(membership));
    }

    /** Closes all members, which would miss messages otherwise. On the partition's thread; no member is added later. */
    void abandon() {
        live = 0;
        queue.execute(() -> {
            for (int i = 0; i < size; i++) at(i).subscriber.close(CloseCode.INTERNAL_ERROR);
        });
    }

    private Membership at(int place) {
        Membership member = members[place];
        if (member == null) throw new IllegalStateException("no member at " + place + " of " + size);
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

    /** Writes the frame to each member, as a duplicate that shares its bytes. On the loop. */
    void write(ByteBuf frame) {
        for (int i = 0; i < size; i++) EventLoopQueue.share(at(i), frame);
    }

    /** On the loop. */
    void flush() {
        for (int i = 0; i < size; i++) EventLoopQueue.flush(at(i).subscriber);
    }
}
