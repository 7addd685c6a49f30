package chat.server.admission;

import chat.kit.admission.PerKey;
import chat.kit.admission.Rate;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the token buckets for messages on this server and creates a {@link SessionRates} for each session. Thread-safe.
 */
public final class Rates {
    private final RateSettings settings;
    private final TimeMeter meter;
    private final RateCounters counters;
    private final WaitListener waitListener;
    private final QueueSlots slots;
    private final @Nullable PerKey<String, TokenQueue> users;
    private final @Nullable PerKey<String, TokenQueue> joins;
    private final @Nullable PerKey<String, TokenQueue> newRooms;
    private final @Nullable TokenQueue server;
    private final boolean limited;

    /** @param joinRates limits of each user across all its sessions */
    public Rates(
            RateSettings settings,
            JoinRates joinRates,
            TimeMeter meter,
            RateCounters counters,
            WaitListener waitListener) {
        this.settings = settings;
        this.meter = meter;
        this.counters = counters;
        this.waitListener = waitListener;
        this.slots = new QueueSlots(settings.maxWaiting());
        this.users = settings.user().rate().isLimited() ? users(RateScope.USER, settings.user()) : null;
        this.joins = users(RateScope.USER_JOINS, joinRates.joins());
        this.newRooms = users(RateScope.USER_NEW_ROOMS, joinRates.newRooms());
        this.server = queue(RateScope.SERVER, settings.server());
        this.limited = users != null
                || joins != null
                || newRooms != null
                || server != null
                || settings.session().rate().isLimited();
    }

    private @Nullable PerKey<String, TokenQueue> users(RateScope scope, Rate rate) {
        return rate.isLimited() ? users(scope, TokenQueueSettings.rejecting(rate)) : null;
    }

    private PerKey<String, TokenQueue> users(RateScope scope, TokenQueueSettings of) {
        // A bucket with reserved tokens needs longer to refill.
        int most = of.policy() == TokenQueueSettings.Policy.QUEUE ? of.burst() + of.pending() : of.burst();
        return new PerKey<>(
                of.rate(),
                settings.maxKeys(),
                of.rate().timeOf(most),
                meter,
                bucket -> queue(scope, of, bucket),
                TokenQueue::isWaitedFor);
    }

    private @Nullable TokenQueue queue(RateScope scope, TokenQueueSettings of) {
        return of.rate().isLimited() ? queue(scope, of, of.rate().bucket(meter)) : null;
    }

    private TokenQueue queue(RateScope scope, TokenQueueSettings of, Bucket bucket) {
        return new TokenQueue(bucket, of, meter, slots, scope, counters.of(scope), waitListener);
    }

    /** Creates the rate limits of a new session; null if nothing is limited. */
    public <T> @Nullable SessionRates<T> forSession(SessionRates.Owner<T> owner) {
        return limited ? new SessionRates<>(this, queue(RateScope.SESSION, settings.session()), owner) : null;
    }

    /** The queues that a message passes, in order. */
    List<TokenQueue> queues(@Nullable TokenQueue session, @Nullable String user, SessionRates.Kind kind) {
        List<TokenQueue> queues = new ArrayList<>(RateScope.values().length);
        if (session != null) queues.add(session);
        if (user != null) {
            if (kind != SessionRates.Kind.MESSAGE) add(queues, joins, user);
            if (kind == SessionRates.Kind.JOIN_OF_NEW_ROOM) add(queues, newRooms, user);
            add(queues, users, user);
        }
        if (server != null) queues.add(server);
        return queues;
    }

    private static void add(List<TokenQueue> queues, @Nullable PerKey<String, TokenQueue> users, String user) {
        if (users != null) queues.add(users.get(user));
    }

    RateSettings settings() {
        return settings;
    }

    /** Users with a bucket, approximately. */
    public long users() {
        return users == null ? 0 : users.keys();
    }

    /** Users whose buckets were evicted because there were too many. */
    public long usersEvicted() {
        return users == null ? 0 : users.evicted();
    }

    /** Users with a bucket for JOINs, approximately. */
    public long joiningUsers() {
        return joins == null ? 0 : joins.keys();
    }

    /** Users whose buckets for JOINs were evicted because there were too many. */
    public long joiningUsersEvicted() {
        return joins == null ? 0 : joins.evicted();
    }

    /** Messages that wait in all queues together. */
    public int waiting() {
        return slots.taken();
    }
}
