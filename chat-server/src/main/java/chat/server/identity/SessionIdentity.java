package chat.server.identity;

import chat.kit.identity.Identity;
import chat.protocol.ClientFrame;
import chat.protocol.ErrorCode;
import chat.protocol.FrameDecoder;
import chat.protocol.FrameError;
import chat.protocol.Member;
import chat.protocol.RoomId;
import java.time.Clock;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Identity of one session: the user that its token names, or no verified user if the server does not require tokens.
 * Confined to the session's event loop, except for methods that say otherwise.
 */
public final class SessionIdentity {
    /** Attribute of the upgrade's exchange, then of the socket, that holds the identity if a token was checked. */
    public static final String ATTRIBUTE = SessionIdentity.class.getName();

    private final @Nullable TokenCheck tokens;
    private final Clock clock;
    private volatile @Nullable Identity identity;
    /** Taken from the first token: other members would take a session whose name changes for another person. */
    private final FrameDecoder.@Nullable KnownSender known;

    private SessionIdentity(@Nullable Identity identity, @Nullable TokenCheck tokens, Clock clock) {
        this.identity = identity;
        this.tokens = tokens;
        this.clock = clock;
        this.known = identity == null
                ? null
                : new FrameDecoder.KnownSender(identity.userId(), identity.username(), identity.displayName());
    }

    /** Returns the identity of a session on a server that does not require tokens. */
    public static SessionIdentity unverified() {
        return new SessionIdentity(null, null, Clock.systemUTC());
    }

    /** @param tokens checks the tokens that the session sends later */
    public static SessionIdentity of(Identity identity, TokenCheck tokens, Clock clock) {
        return new SessionIdentity(identity, tokens, clock);
    }

    /** The sender that frames may leave out; null: frames must name it. */
    public FrameDecoder.@Nullable KnownSender known() {
        return known;
    }

    /** Checks a JOIN against the token, also when it resumes. Null: allowed. */
    public @Nullable FrameError checkJoin(ClientFrame.Join join) {
        Identity current = identity;
        FrameDecoder.KnownSender sender = known;
        if (current == null || sender == null) return null;
        Member member = new Member(sender.userId(), sender.username(), sender.displayName());
        if (!member.userId().equals(join.member().userId()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "userId must equal the token's or be left out");
        if (!member.username().equals(join.member().username()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "username must equal the token's or be left out");
        if (!member.equals(join.member()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "displayName must equal the token's or be left out");
        if (!current.rooms().mayJoin(join.room()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "the token does not allow room " + join.room());
        return null;
    }

    /** Checks whether the session may write in a room that it has joined. Null: allowed. */
    public @Nullable FrameError checkText(ClientFrame.Text text) {
        Identity current = identity;
        if (current == null || current.rooms().mayWrite(text.room())) return null;
        return FrameError.of(ErrorCode.FORBIDDEN, text, "the token allows only reading in room " + text.room());
    }

    /** Starts to check a new token; null if the server does not require tokens. */
    public @Nullable CompletionStage<Identity> check(ClientFrame.Token frame) {
        return tokens == null ? null : tokens.identityOf(frame.token());
    }

    /**
     * Replaces the token: its rooms and expiry apply at once, its names only to the next session.
     *
     * @return false if the new token names another user; then nothing changes
     */
    public boolean renew(Identity renewed) {
        Identity before = identity;
        if (before == null || !before.userId().equals(renewed.userId())) return false;
        identity = renewed;
        return true;
    }

    /** Whether the token allows the session to be in this room. */
    public boolean mayStay(RoomId room) {
        Identity current = identity;
        return current == null || current.rooms().mayJoin(room);
    }

    /** When the token expires, in milliseconds since 1970; 0: no token. Any thread. */
    public long expiresAtMillis() {
        Identity current = identity;
        return current == null ? 0 : current.expiresAt().toEpochMilli();
    }

    /** Milliseconds until the token is no longer accepted; {@link Long#MAX_VALUE} without a token. */
    public long millisLeft() {
        Identity current = identity;
        return current == null ? Long.MAX_VALUE : current.validUntil().toEpochMilli() - clock.millis();
    }
}
