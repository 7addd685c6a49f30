package chat.load.dialect;

import io.netty.buffer.ByteBuf;

/** Reads what one kind of server sends. Keeps nothing from one frame to the next; confined to one thread. */
public interface FrameReader {
    /** The bytes are not what this kind of server sends, as far as the reader looks. */
    final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        public Malformed(String what, int at) {
            super(what + " at byte " + at);
        }
    }

    /**
     * Where the first unit ends. A unit is what has one meaning: a WebSocket message for most, one operation for servers that
     * put several into a message or cut one in two.
     *
     * @param in what has come and is not read yet: whole WebSocket messages, to the end of the last one; not changed
     * @return its length in bytes from the reader index, -1 where more has to come
     */
    default int unit(ByteBuf in) throws Malformed {
        return in.readableBytes();
    }

    /**
     * Whether units with the same bytes mean the same to every member of a room, so that they need to be read once only.
     *
     * @param in one unit from its reader index; not changed
     */
    boolean isShared(ByteBuf in);

    /** @return what the first {@code length} bytes mean; good until the next call */
    Frame read(byte[] unit, int length) throws Malformed;
}
