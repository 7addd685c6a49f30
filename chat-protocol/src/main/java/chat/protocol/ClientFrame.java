package chat.protocol;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Represents a frame of a client: a JSON object whose type is its {@code messageType}. */
public sealed interface ClientFrame {
    /** A frame that refers to a room. */
    sealed interface InRoom extends ClientFrame {
        RoomId room();

        Member member();

        /** Returns the client's id for this message, or null: then the server creates one. */
        @Nullable
        UUID messageId();
    }

    /** A frame that becomes a message of the room. */
    sealed interface Posted extends InRoom {}

    /** @param stored whether the client wants STORED frames for the room */
    record Join(RoomId room, Member member, @Nullable UUID messageId, Since since, boolean stored) implements Posted {}

    record Text(RoomId room, Member member, @Nullable UUID messageId, String message) implements Posted {}

    record Leave(RoomId room, Member member, @Nullable UUID messageId) implements Posted {}

    /**
     * Requests the members of the room. Only this server responds, and the frame is never stored.
     *
     * @param after the userId after which the page starts, or null: from the first member
     * @param limit maximum number of members in the response
     */
    record Members(
            RoomId room,
            Member member,
            @Nullable UUID messageId,
            @Nullable String after,
            int limit) implements InRoom {
        public static final int DEFAULT_LIMIT = 100;
        public static final int MAX_LIMIT = 500;
    }

    /** A new token for the session, sent before the current one expires. */
    record Token(String token) implements ClientFrame {
        /** Omits the token, which is a credential. */
        @Override
        public String toString() {
            return "Token";
        }
    }

    /** The position from which a joining member reads the room. */
    sealed interface Since {
        /** From its own JOIN. */
        record Now() implements Since {}

        /** From the message after this position, the last one that a reconnecting client has seen. */
        record Resume(long position) implements Since {}

        /** From its own JOIN, and the last {@code messages} messages before it. */
        record History(int messages) implements Since {}
    }
}
