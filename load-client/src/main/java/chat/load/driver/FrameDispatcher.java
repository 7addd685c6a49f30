package chat.load.driver;

import chat.load.dialect.Frame;
import chat.load.dialect.FrameReader.Malformed;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits what a connection receives into units, decodes each and passes it to the member that it addresses. Confined
 * to its client's event loop.
 */
final class FrameDispatcher {
    private final Client client;
    private final Group group;
    private final RunState run;
    private final Loop loop;
    /** In the order of the group's rooms. */
    private final List<Member> members;
    /** The beginning of an incomplete unit. */
    private @Nullable ByteBuf rest;

    FrameDispatcher(Client client, Group group, List<Member> members) {
        this.client = client;
        this.group = group;
        this.run = group.run;
        this.loop = group.loop;
        this.members = members;
    }

    /** Processes all complete units and keeps the rest. */
    void receive(ByteBuf payload) {
        ByteBuf kept = rest;
        try {
            if (kept == null) {
                units(payload);
                if (payload.isReadable())
                    rest = payload.alloc()
                            .directBuffer(2 * payload.readableBytes() + 64)
                            .writeBytes(payload);
            } else {
                kept.writeBytes(payload);
                units(kept);
                if (!kept.isReadable()) dropRest();
                else kept.discardSomeReadBytes();
            }
        } catch (Malformed malformed) {
            client.violation("received a frame that can't be read: " + malformed.getMessage());
            dropRest();
        }
    }

    /** Drops an incomplete unit, because the connection ended. */
    void dropRest() {
        if (rest != null) rest.release();
        rest = null;
    }

    private void units(ByteBuf in) throws Malformed {
        while (in.isReadable()) {
            int length = loop.reader.unit(in);
            if (length <= 0) return;
            int from = in.readerIndex();
            unit(in, from, length);
            // Must stay here: the reader index marked the beginning of the unit for the reader.
            in.readerIndex(from + length);
        }
    }

    private void unit(ByteBuf in, int from, int length) throws Malformed {
        ByteBuffer bytes = in.internalNioBuffer(from, length);
        int hash = 0;
        boolean shared = loop.reader.isShared(in);
        if (shared) {
            hash = FrameCache.hash(bytes);
            Batch known = loop.cache.find(bytes, hash);
            if (known != null) {
                run.counters.copies.increment();
                messages(known);
                return;
            }
        }
        byte[] unit = loop.scratch(length);
        in.getBytes(from, unit, 0, length);
        Frame frame = loop.reader.read(unit, length);
        byte[] reply = frame.reply();
        if (reply != null) client.write(out -> out.writeBytes(reply), reply.length);
        switch (frame.type()) {
            case READY -> client.ready();
            case OTHER -> {
                // Newer servers may send other types.
            }
            case WELCOME, MESSAGES, ACK, ERROR, GAP -> {
                Member member = addressed(frame);
                if (member == null) client.violation("received a frame of another room");
                else if (frame.type() == Frame.Type.MESSAGES) messages(frame, unit, length, hash, shared);
                else if (!member.isGone()) dispatch(frame, member);
            }
        }
    }

    private void messages(Frame frame, byte[] unit, int length, int hash, boolean shared) {
        for (Room room : group.rooms) {
            if (!room.isNamedBy(frame)) continue;
            Batch batch = room.batch(frame, unit, length, hash);
            if (shared) loop.cache.add(batch);
            messages(batch);
            return;
        }
    }

    private void messages(Batch batch) {
        if (batch.room().group == group) members.get(batch.room().slot).messages(batch);
        else client.violation("received a frame of another room");
    }

    private static void dispatch(Frame frame, Member member) {
        switch (frame.type()) {
            case WELCOME -> member.welcome(frame);
            case ACK -> member.ack(frame);
            case ERROR -> member.error(frame);
            case GAP -> member.gap(frame.from(), frame.to());
            case READY, MESSAGES, OTHER -> throw new IllegalArgumentException("not for a member: " + frame.type());
        }
    }

    private @Nullable Member addressed(Frame frame) {
        for (Room room : group.rooms) {
            if (room.isNamedBy(frame)) return members.get(room.slot);
        }
        return null;
    }
}
