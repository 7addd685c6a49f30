package chat.server.admission;

import chat.kit.admission.PerKey;
import chat.kit.admission.Rate;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rates of this server's messages: a {@link SessionRates} for each session. Thread-safe. */
public final class Rates {
    private final RateSettings settings;
    private final TimeMeter meter;
    private final RateCounters counters;
    private final WaitListener watch;
    private final QueueSlots places;
    private final @Nullable PerKey<String, TokenQueue> users;
    private final @Nullable PerKey<String, TokenQueue> joins;
    private final @Nullable PerKey<String, TokenQueue> newRooms;
    private final @Nullable TokenQueue server;
    private final boolean limited;

    /** @param ofJoins of each user, by whatever sessions */
    public Rates(RateSettings settings, JoinRates ofJoins, TimeMeter meter, RateCounters counters, WaitListener watch) {
        this.settings = settings;
        this.meter = meter;
        this.counters = counters;
        this.watch = watch;
        this.places = new QueueSlots(settings.maxWaiting());
        this.users = settings.user().rate().isLimited() ? users(RateScope.USER, settings.user()) : null;
        this.joins = users(RateScope.USER_JOINS, ofJoins.joins());
        this.newRooms = users(RateScope.USER_NEW_ROOMS, ofJoins.newRooms());
        this.server = line(RateScope.SERVER, settings.server());
        this.limited = users != null
                || joins != null
                || newRooms != null
                || server != null
                || settings.session().rate().isLimited();
    }

    private @Nullable PerKey<String, TokenQueue> users(RateScope bound, Rate rate) {
        return rate.isLimited() ? users(bound, TokenQueueSettings.rejecting(rate)) : null;
    }

    private PerKey<String, TokenQueue> users(RateScope bound, TokenQueueSettings of) {
        // A bucket with debts needs longer to be full again.
        int most = of.policy() == TokenQueueSettings.Policy.QUEUE ? of.burst() + of.pending() : of.burst();
        return new PerKey<>(
                of.rate(),
                settings.maxKeys(),
                of.rate().timeOf(most),
                meter,
                bucket -> line(bound, of, bucket),
                TokenQueue::isWaitedFor);
    }

    private @Nullable TokenQueue line(RateScope bound, TokenQueueSettings of) {
        return of.rate().isLimited() ? line(bound, of, of.rate().bucket(meter)) : null;
    }

    private TokenQueue line(RateScope bound, TokenQueueSettings of, Bucket bucket) {
        return new TokenQueue(bucket, of, meter, places, bound, counters.of(bound), watch);
    }

    /** For a session that begins; null where nothing is limited: then it has nobody to ask. */
    public <T> @Nullable SessionRates<T> gate(SessionRates.Owner<T> owner) {
        return limited ? new SessionRates<>(this, line(RateScope.SESSION, settings.session()), owner) : null;
    }

    /** Those that a message has to pass, in their order. */
    List<TokenQueue> lines(@Nullable TokenQueue session, @Nullable String user, SessionRates.Kind kind) {
        List<TokenQueue> lines = new ArrayList<>(RateScope.values().length);
        if (session != null) lines.add(session);
        if (user != null) {
            if (kind != SessionRates.Kind.MESSAGE) add(lines, joins, user);
            if (kind == SessionRates.Kind.JOIN_OF_NEW_ROOM) add(lines, newRooms, user);
            add(lines, users, user);
        }
        if (server != null) lines.add(server);
        return lines;
    }

    private static void add(List<TokenQueue> lines, @Nullable PerKey<String, TokenQueue> users, String user) {
        if (users != null) lines.add(users.get(user));
    }

    RateSettings settings() {
        return settings;
    }

    /** Users whose buckets are kept, about. */
    public long users() {
        return users == null ? 0 : users.keys();
    }

    /** Users whose buckets were forgotten before their time, since there were too many. */
    public long usersEvicted() {
        return users == null ? 0 : users.evicted();
    }

    /** Users whose buckets of JOINs are kept, about. */
    public long joiningUsers() {
        return joins == null ? 0 : joins.keys();
    }

    /** The same, forgotten before their time. */
    public long joiningUsersEvicted() {
        return joins == null ? 0 : joins.evicted();
    }

    /** Messages that wait in all queues together. */
    public int waiting() {
        return places.taken();
    }
}
