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
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects {@link Presence} of one partition with the sessions and rooms of this server. Confined to the partition's
 * thread.
 */
final class PartitionPresence {
    private static final Logger logger = LoggerFactory.getLogger(PartitionPresence.class);

    private final PresenceCounters counters;
    private final RoomTable rooms;
    private final Presence presence;
    private final PendingLeaves lateLeaves;
    private @Nullable LogPartition<PendingAck> partition;

    /**
     * @param former the server's earlier incarnation in this partition, which has ended; 0 if there was none
     * @param rooms of the partition; those with members on this server receive notifications
     */
    PartitionPresence(
            long incarnation,
            long former,
            LogSettings log,
            PresenceSettings settings,
            LongSupplier nanoTime,
            PresenceCounters counters,
            RoomTable rooms) {
        this.counters = counters;
        this.rooms = rooms;
        this.lateLeaves = new PendingLeaves(settings.maxLateLeaves(), counters);
        this.presence = new Presence(incarnation, log, settings, nanoTime, counters, this::publish, rooms::hasMembers);
        presence.incarnationEnded(former);
    }

    /** Must be called before the partition starts. */
    void serve(LogPartition<PendingAck> partition) {
        this.partition = partition;
    }

    /** Whether no LEAVE waits to be published. */
    boolean hasNoPendingLeaves() {
        return lateLeaves.isEmpty();
    }

    /** Stops after the partition has been closed. */
    void end() {
        presence.end();
    }

    private boolean publish(List<Roster> parts, Runnable failed) {
        return partition != null && partition.publish(parts, failed);
    }

    void started() {
        presence.started();
    }

    /** Whether the members on other servers are known, as far as they can be. May change with each entry and tick. */
    boolean isReady() {
        return presence.isReady();
    }

    /** Must be called before the messages of the entry are delivered. */
    void read(LogEntry entry) {
        guarded(() -> presence.read(entry));
    }

    void entriesMissing() {
        presence.entriesMissing();
    }

    /** Must be called after the messages of each entry have been delivered. */
    void publishDue() {
        guarded(presence::publishDue);
    }

    /** Removes servers that have timed out. Must be called about every 250 ms. */
    void checkTimeouts() {
        guarded(() -> {
            presence.checkTimeouts();
            presence.publishDue();
        });
    }

    /** Publishes late LEAVEs and sends the notifications that are due. Must be called about every 250 ms. */
    void sendDue() {
        guarded(() -> {
            // Only once per tick: the log may reject them many times.
            if (partition != null && partition.available()) lateLeaves.write(partition::offer);
            for (PresenceUpdate update : presence.takeUpdates()) emit(update);
        });
    }

    /** Logs a failure instead of throwing it: delivery must continue, and a tick that throws would be the last one. */
    private void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error failure) {
            logger.error("presence failed and may be wrong: requesting all rosters again", failure);
            presence.entriesMissing();
        }
    }

    private void emit(PresenceUpdate update) {
        Room room = rooms.withMembers(update.room());
        if (room == null) return;
        counters.framesTold.increment();
        room.emit(ServerFrames.members(update.room(), update.members(), update.joined(), update.left(), update.more()));
    }

    /** Whether JOINs and LEAVEs of the room are aggregated into MEMBERS frames. */
    boolean isLarge(RoomId room) {
        return presence.isLarge(room);
    }

    int members(RoomId room) {
        return presence.members(room);
    }

    /**
     * Returns the number of distinct users in the room at a position.
     *
     * @param position of a message of the entry that was read last
     */
    int membersAt(RoomId room, long position) {
        return presence.membersAt(room, (int) (position % Position.MESSAGES_PER_ENTRY));
    }

    /** Records that the JOIN was read back. If the session has ended, its LEAVE will follow. */
    void joined(Membership membership) {
        if (membership.joinRead()) presence.memberJoined(membership.room, membership.member);
    }

    /** Records that the LEAVE was read back, or that it never will be. */
    void left(Membership membership) {
        if (membership.leaveRead()) presence.memberLeft(membership.room, membership.member);
    }

    void leaveLater(OutgoingMessage message, PendingAck sent) {
        if (!lateLeaves.keep(message, sent)) left(sent.by());
    }

    /**
     * Sends a page of the roster to a member, after its WELCOME.
     *
     * @param answered receives false if it is no longer a member
     */
    void roster(Membership membership, @Nullable String after, int limit, Consumer<Boolean> answered) {
        if (membership.hasLeft()) {
            answered.accept(false);
        } else if (!membership.isWelcomed()) {
            membership.afterWelcome(() -> roster(membership, after, limit, answered));
        } else {
            Room room = rooms.withMembers(membership.room);
            if (room != null) room.flush(); // the roster includes JOINs and LEAVEs that are still queued
            RosterPage page = presence.page(membership.room, after, limit);
            membership.send(
                    Frames.text(ServerFrames.roster(membership.room, page.members(), page.roster(), page.next())));
            answered.accept(true);
        }
    }
}
