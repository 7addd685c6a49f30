package chat.server.room;

import chat.log.LogEntry;
import chat.log.LogPartition;
import chat.log.LogSettings;
import chat.log.OutgoingMessage;
import chat.log.Position;
import chat.log.Roster;
import chat.protocol.RoomId;
import chat.protocol.ServerFrames;
import chat.server.presence.Presence;
import chat.server.presence.PresenceCounters;
import chat.server.presence.PresenceSettings;
import chat.server.presence.PresenceUpdate;
import chat.server.presence.RosterPage;
import chat.server.room.Membership.InLog;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings together who is where, as the log says it, the sessions of this server, and what rooms are told of it. Runs on
 * the partition's thread.
 */
final class PartitionPresence {
    private static final Logger logger = LoggerFactory.getLogger(PartitionPresence.class);

    private final PresenceCounters counters;
    private final Function<RoomId, @Nullable Room> watched;
    private final Presence presence;
    private final PendingLeaves lateLeaves;
    private @Nullable LogPartition<PendingAck> partition;
    private Runnable whenReady = () -> {};
    private boolean ready;

    /**
     * @param former the run before, over by now; 0: there was none
     * @param watched the room, where it has members here
     */
    PartitionPresence(
            long run,
            long former,
            LogSettings log,
            PresenceSettings settings,
            LongSupplier nanoTime,
            PresenceCounters counters,
            Function<RoomId, @Nullable Room> watched) {
        this.counters = counters;
        this.watched = watched;
        this.lateLeaves = new PendingLeaves(settings.maxLateLeaves(), counters);
        this.presence = new Presence(
                run, log, settings, nanoTime, counters, this::publish, room -> watched.apply(room) != null);
        presence.over(former);
    }

    /**
     * Before the partition starts.
     *
     * @param whenReady run once, when it {@linkplain #isReady is}
     */
    void serve(LogPartition<PendingAck> partition, Runnable whenReady) {
        this.partition = partition;
        this.whenReady = whenReady;
    }

    /** Whether no LEAVE waits here for the log. */
    boolean owesNothing() {
        return lateLeaves.isEmpty();
    }

    /** The partition is read no more. */
    void end() {
        presence.end();
    }

    private boolean publish(List<Roster> parts, Runnable failed) {
        return partition != null && partition.publish(parts, failed);
    }

    void started() {
        presence.started();
        beReady();
    }

    boolean isReady() {
        return ready;
    }

    /** Before anybody is told what the entry says. */
    void read(LogEntry entry) {
        guarded(() -> presence.read(entry));
    }

    void gap() {
        presence.gap();
    }

    /** After each entry. */
    void act() {
        guarded(presence::act);
        beReady();
    }

    private void beReady() {
        if (ready || !presence.isReady()) return;
        ready = true;
        whenReady.run();
    }

    /** To be called every quarter of a second or so. */
    void tick() {
        guarded(() -> {
            presence.watch();
            act();
            // Only now and then: a log may refuse them again and again.
            if (partition != null && partition.available()) lateLeaves.write(partition::offer);
            for (PresenceUpdate news : presence.news()) tell(news);
        });
    }

    /** Messages must go on, and thrown out of a tick it would have been the last one. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failure) {
            logger.error("who is there may be wrong: asking everybody", failure);
            presence.gap();
        }
    }

    private void tell(PresenceUpdate news) {
        Room room = watched.apply(news.room());
        if (room == null) return;
        counters.framesTold.increment();
        room.emit(ServerFrames.members(news.room(), news.members(), news.joined(), news.left(), news.more()));
    }

    /** Whether single JOINs and LEAVEs are not told. */
    boolean isLarge(RoomId room) {
        return presence.isLarge(room);
    }

    int members(RoomId room) {
        return presence.members(room);
    }

    /** @param position of a message of the entry that was read last */
    int membersAt(RoomId room, long position) {
        return presence.membersAt(room, (int) (position % Position.MESSAGES_PER_ENTRY));
    }

    /** Its JOIN was read back, whether the session is still there or not: then its LEAVE will come. */
    void joined(Membership membership) {
        if (membership.inLog != InLog.NOT_YET) return;
        membership.inLog = InLog.JOINED;
        presence.came(membership.room, membership.member);
    }

    /** Its LEAVE was read back, or never will be. */
    void left(Membership membership) {
        if (membership.inLog == InLog.JOINED) presence.went(membership.room, membership.member);
        membership.inLog = InLog.LEFT;
    }

    void leaveLater(OutgoingMessage message, PendingAck sent) {
        if (!lateLeaves.keep(message, sent)) left(sent.by());
    }

    /**
     * Sends a page of the members to one of them; to one that has no WELCOME yet, behind that.
     *
     * @param answered told whether it is still a member
     */
    void roster(Membership membership, @Nullable String after, int limit, Consumer<Boolean> answered) {
        if (membership.state == Membership.State.LEFT) {
            answered.accept(false);
        } else if (!membership.welcomed) {
            membership.whenWelcomed = () -> roster(membership, after, limit, answered);
        } else {
            Room room = watched.apply(membership.room);
            if (room != null) room.flush(); // it counts what that says
            RosterPage page = presence.page(membership.room, after, limit);
            membership.send(
                    Frames.text(ServerFrames.roster(membership.room, page.members(), page.roster(), page.next())));
            answered.accept(true);
        }
    }
}
