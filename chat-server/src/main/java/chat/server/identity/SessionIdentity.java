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
 * Who one session is: anybody, where the server is open, or whom its token names. Confined to the session's event loop,
 * but for what says otherwise.
 */
public final class SessionIdentity {
    /** Of the exchange of an upgrade, then of its session: who it is, where somebody has asked. */
    public static final String ATTRIBUTE = SessionIdentity.class.getName();

    private final @Nullable TokenCheck tokens;
    private final Clock clock;
    private volatile @Nullable Identity identity;
    /** Of its first token: a name that changes would be another person's to the members of its rooms. */
    private final FrameDecoder.@Nullable KnownSender known;

    private SessionIdentity(@Nullable Identity identity, @Nullable TokenCheck tokens, Clock clock) {
        this.identity = identity;
        this.tokens = tokens;
        this.clock = clock;
        this.known = identity == null
                ? null
                : new FrameDecoder.KnownSender(identity.userId(), identity.username(), identity.displayName());
    }

    /** One whom nobody has asked. */
    public static SessionIdentity anybody() {
        return new SessionIdentity(null, null, Clock.systemUTC());
    }

    /** @param tokens for those that it brings later */
    public static SessionIdentity of(Identity identity, TokenCheck tokens, Clock clock) {
        return new SessionIdentity(identity, tokens, clock);
    }

    /** What its frames need not say; null: they have to. */
    public FrameDecoder.@Nullable KnownSender known() {
        return known;
    }

    /** Whether it may join, by this token: each time that it does, with or without a past. Null: yes. */
    public @Nullable FrameError refusesJoin(ClientFrame.Join join) {
        Identity who = identity;
        FrameDecoder.KnownSender self = known;
        if (who == null || self == null) return null;
        Member member = new Member(self.userId(), self.username(), self.displayName());
        if (!member.userId().equals(join.member().userId()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "userId must be the token's, or left out");
        if (!member.username().equals(join.member().username()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "username must be the token's, or left out");
        if (!member.equals(join.member()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "displayName must be the token's, or left out");
        if (!who.rooms().mayJoin(join.room()))
            return FrameError.of(ErrorCode.FORBIDDEN, join, "the token does not allow room " + join.room());
        return null;
    }

    /** Whether it may speak in a room that it has joined. Null: yes. */
    public @Nullable FrameError refusesText(ClientFrame.Text text) {
        Identity who = identity;
        if (who == null || who.rooms().mayWrite(text.room())) return null;
        return FrameError.of(ErrorCode.FORBIDDEN, text, "the token allows only to read in room " + text.room());
    }

    /** Has a new token looked at; null where nobody is asked for tokens. */
    public @Nullable CompletionStage<Identity> ask(ClientFrame.Token frame) {
        return tokens == null ? null : tokens.identityOf(frame.token());
    }

    /**
     * Goes by a new token from now on: by its rooms and its end. Its name counts for the next session.
     *
     * @return false where it is somebody else's: then nothing changes
     */
    public boolean renew(Identity now) {
        Identity before = identity;
        if (before == null || !before.userId().equals(now.userId())) return false;
        identity = now;
        return true;
    }

    public boolean mayStay(RoomId room) {
        Identity who = identity;
        return who == null || who.rooms().mayJoin(room);
    }

    /** When its token ends, milliseconds since 1970; 0: it has none. Any thread. */
    public long expiresAtMillis() {
        Identity who = identity;
        return who == null ? 0 : who.expiresAt().toEpochMilli();
    }

    /** How long its token still counts; at most that of none. */
    public long millisLeft() {
        Identity who = identity;
        return who == null ? Long.MAX_VALUE : who.validUntil().toEpochMilli() - clock.millis();
    }
}
