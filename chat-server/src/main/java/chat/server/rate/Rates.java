package chat.server.rate;

import chat.kit.admission.PerKey;
import chat.kit.admission.Rate;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rates of this server's messages: a {@link Gate} for each session. Thread-safe. */
public final class Rates {
    private final RateSettings settings;
    private final TimeMeter meter;
    private final RateCounters counters;
    private final WaitWatch watch;
    private final WaitingPlaces places;
    private final @Nullable PerKey<String, Line> users;
    private final @Nullable PerKey<String, Line> joins;
    private final @Nullable PerKey<String, Line> newRooms;
    private final @Nullable Line server;
    private final boolean limited;

    /** @param ofJoins of each user, by whatever sessions */
    public Rates(RateSettings settings, JoinRates ofJoins, TimeMeter meter, RateCounters counters, WaitWatch watch) {
        this.settings = settings;
        this.meter = meter;
        this.counters = counters;
        this.watch = watch;
        this.places = new WaitingPlaces(settings.maxWaiting());
        this.users = settings.user().rate().isLimited() ? users(Bound.USER, settings.user()) : null;
        this.joins = users(Bound.USER_JOINS, ofJoins.joins());
        this.newRooms = users(Bound.USER_NEW_ROOMS, ofJoins.newRooms());
        this.server = line(Bound.SERVER, settings.server());
        this.limited = users != null
                || joins != null
                || newRooms != null
                || server != null
                || settings.session().rate().isLimited();
    }

    private @Nullable PerKey<String, Line> users(Bound bound, Rate rate) {
        return rate.isLimited() ? users(bound, LineSettings.rejecting(rate)) : null;
    }

    private PerKey<String, Line> users(Bound bound, LineSettings of) {
        // A bucket with debts needs longer to be full again.
        int most = of.policy() == LineSettings.Policy.QUEUE ? of.burst() + of.pending() : of.burst();
        return new PerKey<>(
                of.rate(),
                settings.maxKeys(),
                of.rate().timeOf(most),
                meter,
                bucket -> line(bound, of, bucket),
                Line::isWaitedFor);
    }

    private @Nullable Line line(Bound bound, LineSettings of) {
        return of.rate().isLimited() ? line(bound, of, of.rate().bucket(meter)) : null;
    }

    private Line line(Bound bound, LineSettings of, Bucket bucket) {
        return new Line(bucket, of, meter, places, bound, counters.of(bound), watch);
    }

    /** For a session that begins; null where nothing is limited: then it has nobody to ask. */
    public <T> @Nullable Gate<T> gate(Gate.Owner<T> owner) {
        return limited ? new Gate<>(this, line(Bound.SESSION, settings.session()), owner) : null;
    }

    /** Those that a message has to pass, in their order. */
    List<Line> lines(@Nullable Line session, @Nullable String user, Gate.Kind kind) {
        List<Line> lines = new ArrayList<>(Bound.values().length);
        if (session != null) lines.add(session);
        if (user != null) {
            if (kind != Gate.Kind.MESSAGE) add(lines, joins, user);
            if (kind == Gate.Kind.JOIN_OF_NEW_ROOM) add(lines, newRooms, user);
            add(lines, users, user);
        }
        if (server != null) lines.add(server);
        return lines;
    }

    private static void add(List<Line> lines, @Nullable PerKey<String, Line> users, String user) {
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
