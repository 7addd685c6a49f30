package chat.load.driver;

import chat.load.plan.Arrivals;
import chat.load.plan.Crowd;
import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Placement;
import chat.load.plan.Plan;
import chat.load.plan.Traffic;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Plans for tests: small, quick, and otherwise as told. */
public final class PlanBuilder {
    private final Numbering numbering;
    private int roomsPerClient = 1;
    private Pacing sends = new Pacing.Window(1);
    private Arrivals arrivals = new Arrivals.Ramp(new Pacing.Rate(10_000));
    private Guests guests = Guests.NONE;
    private @Nullable Crowd crowd;
    private boolean keepsConnections;
    private Traffic traffic = Traffic.ofTexts(100);
    private int retries = 5;
    private @Nullable Duration duration;
    private Plan.@Nullable Limit limit;

    private PlanBuilder(Numbering numbering) {
        this.numbering = numbering;
    }

    public static PlanBuilder of(int rooms, int users, int messages) {
        return new PlanBuilder(new Numbering(rooms, users, messages));
    }

    /** User id of a member of room 0 in any of these plans; guests are numbered after the members. */
    static String userId(int members, int user) {
        return of(1, members, 1).plan().users().id(0, user);
    }

    PlanBuilder window(int size) {
        sends = new Pacing.Window(size);
        return this;
    }

    PlanBuilder rate(double perSecond) {
        sends = new Pacing.Rate(perSecond);
        return this;
    }

    PlanBuilder roomsPerClient(int rooms) {
        roomsPerClient = rooms;
        return this;
    }

    PlanBuilder arrivals(Arrivals how) {
        arrivals = how;
        return this;
    }

    PlanBuilder guests(Guests who) {
        guests = who;
        return this;
    }

    PlanBuilder crowd(Crowd who) {
        crowd = who;
        return this;
    }

    PlanBuilder traffic(Traffic what) {
        traffic = what;
        return this;
    }

    PlanBuilder turnover(double share) {
        return traffic(new Traffic(false, 100, 0, share, 0));
    }

    PlanBuilder retries(int times) {
        retries = times;
        return this;
    }

    PlanBuilder millis(long time) {
        duration = Duration.ofMillis(time);
        return this;
    }

    PlanBuilder limit(double perSecond, int burst, double tolerance) {
        limit = new Plan.Limit(perSecond, burst, tolerance);
        return this;
    }

    PlanBuilder limit(Plan.Limit tried) {
        limit = tried;
        return this;
    }

    PlanBuilder keepsConnections() {
        keepsConnections = true;
        return this;
    }

    public Plan plan() {
        return new Plan(
                "test",
                numbering,
                roomsPerClient,
                traffic,
                sends,
                arrivals,
                guests,
                crowd,
                keepsConnections,
                retries,
                duration,
                limit,
                Placement.SPREAD,
                4,
                0,
                Duration.ofSeconds(2));
    }
}
