package chat.load.dialect;

import io.netty.buffer.ByteBuf;

/** Reads frames of one kind of server. Stateless between frames; confined to one thread. */
public interface FrameReader {
    /** The bytes are not valid for this kind of server, as far as the reader checks. */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        public Malformed(String what, int at) {
            super(what + " at byte " + at);
        }
    }

    /**
     * Returns the length of the first unit. A unit has one meaning: usually a WebSocket message; for servers that
     * combine or split operations, one operation.
     *
     * @param in unread bytes of whole WebSocket messages, up to the end of the last one; not changed
     * @return length in bytes from the reader index, -1 if the unit is incomplete
     */
    default int unit(ByteBuf in) throws Malformed {
        return in.readableBytes();
    }

    /**
     * Whether units with the same bytes mean the same to every member of a room, so that one parse suffices.
     *
     * @param in one unit from its reader index; not changed
     */
    boolean isShared(ByteBuf in);

    /** @return the content of the first {@code length} bytes; valid until the next call */
    Frame read(byte[] unit, int length) throws Malformed;
}
