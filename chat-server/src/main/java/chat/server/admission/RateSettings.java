package chat.server.admission;

import chat.kit.admission.Rate;
import chat.protocol.SendRate;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.ConstructorBinding;

/**
 * Limits how fast clients may connect and send. JOIN, TEXT and MEMBERS count, not WebSocket frames. LEAVE does not
 * count: it requires a JOIN that did.
 *
 * @param session messages of each session
 * @param user messages of each user in all its sessions on this server
 * @param server messages of all sessions of this server together
 * @param address WebSocket upgrades of each client address (IPv6: its first 64 bits); the server rejects upgrades above
 *     the rate
 * @param maxKeys users and addresses with a bucket at once, 16 to 10,000,000
 * @param maxWaiting messages that may wait in all queues together, 1 to 10,000,000
 * @param maxRefused the server closes a session after this many messages above its rate; each admitted message cancels
 *     one; 0: never
 */
public record RateSettings(
        TokenQueueSettings session,
        TokenQueueSettings user,
        TokenQueueSettings server,
        Rate address,
        int maxKeys,
        int maxWaiting,
        int maxRefused) {
    /** Users or addresses with a bucket at once: more than usually connect to one server. */
    private static final int MAX_KEYS = 100_000;

    /** Messages that wait in all queues together: bounds their memory. */
    private static final int MAX_WAITING = 100_000;

    /** A client with a bug stops long before; a flood does not make the server answer forever. */
    private static final int MAX_REFUSED = 1000;

    private static final int MOST = 10_000_000;

    public RateSettings {
        if (maxKeys < 16 || maxKeys > MOST)
            throw new IllegalArgumentException("max-keys must be 16 to 10000000, not " + maxKeys);
        if (maxWaiting < 1 || maxWaiting > MOST)
            throw new IllegalArgumentException("max-waiting must be 1 to 10000000, not " + maxWaiting);
        if (maxRefused < 0) throw new IllegalArgumentException("max-refused must not be negative");
    }

    @ConstructorBinding
    public RateSettings(TokenQueueSettings session, TokenQueueSettings user, TokenQueueSettings server, Rate address) {
        this(session, user, server, address, MAX_KEYS, MAX_WAITING, MAX_REFUSED);
    }

    /** The rate announced to each session; null if neither the session nor the user rate is limited. */
    public @Nullable SendRate announced() {
        boolean bySession = session.rate().isLimited();
        boolean byUser = user.rate().isLimited();
        if (!bySession && !byUser) return null;
        TokenQueueSettings lower = !byUser || (bySession && session.perSecond() <= user.perSecond()) ? session : user;
        int burst = bySession && byUser ? Math.min(session.burst(), user.burst()) : lower.burst();
        return new SendRate(lower.perSecond(), burst);
    }
}
