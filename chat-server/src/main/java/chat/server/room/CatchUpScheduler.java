package chat.server.room;

import chat.kit.admission.PerKey;
import chat.kit.admission.Rate;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which session of this server reads the next page of history. A session holds one {@link Permit} at a time for
 * all its rooms. Users are served round robin, and one user has at most a quarter of the reads. All pages share a
 * memory limit; while the heap is nearly full, no session reads another page. A user that exceeds its budget of bytes
 * is delayed. Each session without a token counts as a separate user. Thread-safe; completes futures outside its lock.
 */
final class CatchUpScheduler {
    /** One user may have one of this number of reads, rounded up. */
    private static final int USER_SHARE = 4;

    /** A user may save up its budget for this time. */
    private static final int BURST_SECONDS = 8;

    private static final int TOKEN_BYTES = 1024;
    private static final int MAX_USERS = 100_000;

    private final CatchUpSettings settings;
    private final BooleanSupplier heapShort;
    private final RoomCounters counters;
    private final int readsPerUser;
    /** Reserved for a page until its size is known. */
    private final long pageBytes;
    /** Null: users are not limited. */
    private final @Nullable PerKey<String, Bucket> budgets;
    /** Permits that were granted under the lock, which is not held when they are completed. */
    private List<Permit> granted = new ArrayList<>(1);

    /** Under the lock, as everything below. */
    private final Map<Subscriber, Session> sessions = new HashMap<>();

    private final Map<String, User> users = new HashMap<>();
    /** Users with a waiting permit and fewer reads than their share, each once. */
    private final Deque<User> eligible = new ArrayDeque<>();

    private int reads;
    private long bytes;
    private volatile boolean outOfMemory;

    /**
     * @param heapShort whether pages must not take more of the heap now
     * @param meter of time, for users' budgets
     */
    CatchUpScheduler(RoomSettings room, BooleanSupplier heapShort, TimeMeter meter, RoomCounters counters) {
        this.settings = room.catchUp();
        this.heapShort = heapShort;
        this.counters = counters;
        this.readsPerUser = Math.ceilDiv(settings.reads(), USER_SHARE);
        this.pageBytes = room.pageBytes();
        this.budgets = settings.userBytesPerSecond() == 0 ? null : budgets(settings.userBytesPerSecond(), meter);
    }

    private static PerKey<String, Bucket> budgets(long bytesPerSecond, TimeMeter meter) {
        long perSecond = bytesPerSecond / TOKEN_BYTES;
        int burst = Math.toIntExact(perSecond * BURST_SECONDS);
        Rate rate = new Rate(perSecond, burst);
        // A bucket in debt takes longer to be full again.
        return new PerKey<>(rate, MAX_USERS, rate.timeOf(2L * burst), meter, bucket -> bucket, unused -> false);
    }

    Permit permit(Membership membership) {
        return new Permit(membership.subscriber, user(membership));
    }

    private static String user(Membership membership) {
        Subscriber subscriber = membership.subscriber;
        return subscriber.hasToken() ? membership.member().userId() : subscriber.id();
    }

    /** Takes bytes of history that were sent from the user's budget. */
    void charge(Membership membership, long sent) {
        if (budgets != null) budgets.get(user(membership)).consumeIgnoringRateLimits(Math.ceilDiv(sent, TOKEN_BYTES));
    }

    /** Returns the time until the user may receive more history, in nanoseconds. */
    long delayNanos(Membership membership) {
        if (budgets == null) return 0;
        long nanos = budgets.get(user(membership)).estimateAbilityToConsume(1).getNanosToWaitForRefill();
        if (nanos > 0) counters.catchUpDelayed.increment();
        return nanos;
    }

    /** Whether a read waits because pages have reached their memory limit, or because the heap is nearly full. */
    boolean isOutOfMemory() {
        return outOfMemory;
    }

    /** Grants waiting reads; must be called regularly, because heap usage may have dropped. */
    void tick() {
        if (outOfMemory) change(() -> {});
    }

    /** Makes a change under the lock, then grants waiting permits. */
    private void change(Runnable step) {
        List<Permit> now;
        synchronized (this) {
            step.run();
            grantReads();
            if (granted.isEmpty()) return;
            now = granted;
            granted = new ArrayList<>(1);
        }
        for (Permit permit : now) permit.answer.complete(permit);
    }

    private void grantReads() {
        boolean noMemory = false;
        while (reads < settings.reads() && !eligible.isEmpty()) {
            noMemory = heapShort.getAsBoolean() || bytes + pageBytes > settings.memoryBytes();
            if (noMemory) break;
            User user = eligible.remove();
            user.queued = false;
            Permit next = user.waiting.remove();
            next.state = State.READING;
            reads++;
            user.reads++;
            hold(next, pageBytes);
            count(-1);
            user.queueIfEligible();
            granted.add(next);
        }
        outOfMemory = noMemory;
    }

    private void hold(Permit permit, long now) {
        bytes += now - permit.bytes;
        counters.catchUpBytes.add(now - permit.bytes);
        permit.bytes = now;
    }

    private void count(int waiting) {
        counters.catchUpWaiting.add(waiting);
    }

    private enum State {
        IDLE,
        /** Another room of its session has the permit. */
        WAITING_FOR_SESSION,
        /** Has the session's permit, and no page. */
        ACTIVE,
        WAITING_FOR_READ,
        READING,
        HOLDING_PAGE
    }

    private static final class Session {
        @Nullable
        Permit active;

        final Deque<Permit> waiting = new ArrayDeque<>();
    }

    private final class User {
        final String id;
        final Deque<Permit> waiting = new ArrayDeque<>();
        int reads;
        boolean queued;

        User(String id) {
            this.id = id;
        }

        void queueIfEligible() {
            if (!queued && !waiting.isEmpty() && reads < readsPerUser) {
                queued = true;
                eligible.add(this);
            } else if (queued && waiting.isEmpty()) {
                queued = false;
                eligible.remove(this);
            }
            if (waiting.isEmpty() && reads == 0) users.remove(id);
        }
    }

    /** A member's permit to catch up. Its methods may be called on any thread, but not at the same time. */
    final class Permit {
        private final Subscriber subscriber;
        private final String user;
        private volatile State state = State.IDLE;
        /** Size of its page, or the reservation for the page that is being read. */
        private long bytes;

        private boolean wantsRead;
        private volatile CompletableFuture<Permit> answer = new CompletableFuture<>();

        private Permit(Subscriber subscriber, String user) {
            this.subscriber = subscriber;
            this.user = user;
        }

        /** Whether it holds nothing and waits for nothing. */
        boolean isIdle() {
            return state == State.IDLE;
        }

        /** Whether it may read a page now. */
        boolean isReading() {
            return state == State.READING;
        }

        /** Completes when no other room of the session has a permit. */
        CompletableFuture<Permit> acquire() {
            return acquire(false);
        }

        /** Completes when it may read a page. The member must have sent its last page. */
        CompletableFuture<Permit> acquireRead() {
            return acquire(true);
        }

        private CompletableFuture<Permit> acquire(boolean read) {
            CompletableFuture<Permit> asked = new CompletableFuture<>();
            change(() -> {
                answer = asked;
                wantsRead = read;
                if (state == State.IDLE) enter();
                else proceed();
            });
            return asked;
        }

        private void enter() {
            Session session = sessions.computeIfAbsent(subscriber, unused -> new Session());
            if (session.active == null) {
                session.active = this;
                proceed();
            } else {
                state = State.WAITING_FOR_SESSION;
                session.waiting.add(this);
                count(1);
            }
        }

        /** Continues with the session's permit. */
        private void proceed() {
            endRead();
            hold(this, 0);
            if (wantsRead) {
                state = State.WAITING_FOR_READ;
                User its = users.computeIfAbsent(user, User::new);
                its.waiting.add(this);
                count(1);
                its.queueIfEligible();
            } else {
                state = State.ACTIVE;
                granted.add(this);
            }
        }

        /** Records that the page has been read, with its size in bytes. */
        void read(long size) {
            if (state != State.READING) throw new IllegalStateException("no page is being read, but " + state);
            change(() -> {
                endRead();
                state = State.HOLDING_PAGE;
                hold(this, size);
            });
        }

        private void endRead() {
            if (state != State.READING) return;
            reads--;
            User its = users.get(user);
            if (its == null) throw new IllegalStateException("no read is in progress for user " + user);
            its.reads--;
            its.queueIfEligible();
        }

        /** Gives back the memory of the page, but keeps the session's permit. */
        void dropPage() {
            if (state == State.READING || state == State.HOLDING_PAGE)
                change(() -> {
                    endRead();
                    state = State.ACTIVE;
                    hold(this, 0);
                });
        }

        /** Gives back the page and the permit, and stops waiting. */
        void release() {
            if (state != State.IDLE) change(this::leave);
        }

        private void leave() {
            Session session = sessions.get(subscriber);
            if (session == null) throw new IllegalStateException("the permit's session is not known");
            State before = state;
            endRead();
            state = State.IDLE;
            hold(this, 0);
            if (before == State.WAITING_FOR_SESSION) {
                session.waiting.remove(this);
                count(-1);
                return;
            }
            if (before == State.WAITING_FOR_READ) {
                User its = users.get(user);
                if (its != null && its.waiting.remove(this)) {
                    count(-1);
                    its.queueIfEligible();
                }
            }
            Permit next = session.waiting.poll();
            session.active = next;
            if (next == null) {
                sessions.remove(subscriber);
            } else {
                count(-1);
                next.proceed();
            }
        }
    }
}
