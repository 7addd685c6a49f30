package chat.protocol;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a client may say: JSON objects told apart by {@code messageType}. */
public sealed interface ClientFrame {
    /** What is said in a room, or asked about it. */
    sealed interface InRoom extends ClientFrame {
        RoomId room();

        Member member();

        /** The client's id for this message, or null: then the server makes one. */
        @Nullable
        UUID messageId();
    }

    /** What becomes a message of the room. */
    sealed interface Posted extends InRoom {}

    /** @param stored whether it wants to be told up to where the room is stored */
    record Join(RoomId room, Member member, @Nullable UUID messageId, Since since, boolean stored) implements Posted {}

    record Text(RoomId room, Member member, @Nullable UUID messageId, String message) implements Posted {}

    record Leave(RoomId room, Member member, @Nullable UUID messageId) implements Posted {}

    /**
     * Asks who is in the room. It is answered by this server alone and never stored.
     *
     * @param after the userId to go on after, or null: from the first on
     * @param limit of members in the answer
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

    /** A new token for the session, before the one that it has ends. */
    record Token(String token) implements ClientFrame {
        /** Says nothing: a token is a password for a while. */
        @Override
        public String toString() {
            return "Token";
        }
    }

    /** From where on a member that joins wants to read the room. */
    sealed interface Since {
        /** From its own JOIN on. */
        record Now() implements Since {}

        /** From the message after this position on: what a reconnecting client has seen last. */
        record Resume(long position) implements Since {}

        /** The last {@code messages} before its own JOIN, too. */
        record History(int messages) implements Since {}
    }
}
