package chat.server.intake;

import chat.kit.identity.Identity;
import chat.protocol.ClientFrame;
import chat.protocol.FrameError;
import chat.server.identity.SessionIdentity;
import chat.server.identity.TokenCheck;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Checks and applies the tokens that a session sends after its handshake. Confined to the session's event loop. */
final class TokenRenewal {
    /** A token check costs more than most frames. */
    private static final long NANOS_BETWEEN_TOKENS = TimeUnit.SECONDS.toNanos(1);

    private final SessionIdentity identity;
    private final ErrorReplies replies;
    private final Departures departures;
    private final Intake.Session session;
    private final LongSupplier nanoTime;
    private final Runnable resume;
    private long lastTokenNanos;

    /** @param resume called after the check, unless the session has ended */
    TokenRenewal(
            SessionIdentity identity,
            ErrorReplies replies,
            Departures departures,
            Intake.Session session,
            LongSupplier nanoTime,
            Runnable resume) {
        this.identity = identity;
        this.replies = replies;
        this.departures = departures;
        this.session = session;
        this.nanoTime = nanoTime;
        this.resume = resume;
        this.lastTokenNanos = nanoTime.getAsLong() - NANOS_BETWEEN_TOKENS;
    }

    /**
     * Starts to check a token. Later frames must wait for the result, because it may decide what they are allowed.
     *
     * @return false if the token is rejected at once
     */
    boolean start(ClientFrame.Token token) {
        CompletionStage<Identity> check = null;
        if (nanoTime.getAsLong() - lastTokenNanos < NANOS_BETWEEN_TOKENS)
            replies.reject(invalid("send at most one token per second"));
        else if ((check = identity.check(token)) == null)
            replies.reject(invalid("this server does not require tokens"));
        if (check == null) return false;
        lastTokenNanos = nanoTime.getAsLong();
        check.whenComplete((renewed, failure) -> session.execute(() -> finish(renewed, failure)));
        return true;
    }

    private void finish(@Nullable Identity renewed, @Nullable Throwable failure) {
        if (departures.hasEnded()) return;
        if (renewed == null) replies.reject(invalid(TokenCheck.reason(failure)));
        else if (!identity.renew(renewed)) replies.reject(invalid("the token names another user"));
        else {
            departures.leaveForbiddenRooms();
            session.tokenAccepted(identity.expiresAtMillis());
        }
        resume.run();
    }

    private static FrameError invalid(String error) {
        return FrameError.invalid(null, null, List.of(error));
    }
}
