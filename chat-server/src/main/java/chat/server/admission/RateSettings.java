package chat.server.admission;

import chat.kit.admission.Rate;
import chat.protocol.SendRate;
import org.jspecify.annotations.Nullable;

/**
 * How fast clients may come in and speak. Counted are JOIN, TEXT and MEMBERS, not frames; a LEAVE needs its JOIN, and is
 * not counted.
 *
 * @param session of each session
 * @param user of each user, by whatever sessions of this server
 * @param server of all sessions of this server together
 * @param address upgrades to a socket of each client address, an IPv6 one by its first 64 bits; what comes too fast is
 *     refused
 * @param maxKeys users, and addresses, whose buckets are kept at once, 16 to 10,000,000
 * @param maxWaiting messages that may wait in all queues together, 1 to 10,000,000
 * @param maxRefused messages of a session that may be refused for their rate before it is closed, each one taken making up
 *     for one refused; 0: it never is
 */
public record RateSettings(
        TokenQueueSettings session,
        TokenQueueSettings user,
        TokenQueueSettings server,
        Rate address,
        int maxKeys,
        int maxWaiting,
        int maxRefused) {
    private static final int MOST = 10_000_000;

    public RateSettings {
        if (maxKeys < 16 || maxKeys > MOST)
            throw new IllegalArgumentException("max-keys must be 16 to 10000000, not " + maxKeys);
        if (maxWaiting < 1 || maxWaiting > MOST)
            throw new IllegalArgumentException("max-waiting must be 1 to 10000000, not " + maxWaiting);
        if (maxRefused < 0) throw new IllegalArgumentException("max-refused must not be negative");
    }

    /** What a session is told that it may send; null where nothing limits it by itself. */
    public @Nullable SendRate announced() {
        boolean bySession = session.rate().isLimited();
        boolean byUser = user.rate().isLimited();
        if (!bySession && !byUser) return null;
        TokenQueueSettings lower = !byUser || (bySession && session.perSecond() <= user.perSecond()) ? session : user;
        int burst = bySession && byUser ? Math.min(session.burst(), user.burst()) : lower.burst();
        return new SendRate(lower.perSecond(), burst);
    }
}
