package chat.server.room;

import chat.log.LineFields;
import chat.log.OutgoingMessage;
import chat.protocol.CloseCode;
import chat.protocol.MessageType;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what a client sends under an id that its partition knows, without a way through the log: the same TEXT with
 * an ACK of its first position, anything else as a conflict. An id that is not found here, or finds the queue full, goes
 * through the log like any other, and is found when it is read. {@link #answer} may be called on any thread; the answers
 * are given on the partition's, so that they keep their place among what the member is told.
 */
final class SentAgain {
    private static final Logger logger = LoggerFactory.getLogger(SentAgain.class);

    /** Answers that may wait for the partition's thread; beyond it the log's own bounds slow the sender down. */
    private static final int MAX_WAITING = 1024;

    private final RecentIds ids;
    private final Executor loop;
    private final PartitionRooms rooms;
    private final RoomCounters counters;
    private final AtomicInteger waiting = new AtomicInteger();

    private record Answer(Sent sent, Membership.Ack ack, boolean conflict) {}

    SentAgain(RecentIds ids, Executor loop, PartitionRooms rooms, RoomCounters counters) {
        this.ids = ids;
        this.loop = loop;
        this.rooms = rooms;
        this.counters = counters;
    }

    /** Returns whether there is nothing else to do: the sender gets its answer. */
    boolean answer(OutgoingMessage message, Sent sent) {
        if (!message.messageId().equals(sent.clientMessageId())) return false; // one that was just made
        byte[] json = message.json();
        long content = ContentHash.of(ContentHash.ofRoom(message.room()), json, 0, json.length);
        long first = ids.look(
                message.messageId().getMostSignificantBits(),
                message.messageId().getLeastSignificantBits(),
                content);
        if (first == RecentIds.NEW) return false;
        boolean conflict = isConflict(first, sent.type());
        Membership.Ack ack = new Membership.Ack(message.messageId(), first, message.timestamp(), true);
        return enqueue(new Answer(sent, ack, conflict));
    }

    /** A JOIN or LEAVE is never told a second time, or who has come or gone would not be known: it needs its own id. */
    static boolean isConflict(long first, MessageType type) {
        return RecentIds.isConflict(first) || type != MessageType.TEXT;
    }

    private boolean enqueue(Answer answer) {
        if (waiting.incrementAndGet() > MAX_WAITING) {
            waiting.decrementAndGet();
            counters.againThroughLog.increment();
            return false;
        }
        try {
            loop.execute(() -> {
                waiting.decrementAndGet();
                give(answer);
            });
            return true;
        } catch (RejectedExecutionException closed) {
            waiting.decrementAndGet();
            return false;
        }
    }

    private boolean isKnown(UUID id) {
        return ids.known(id.getMostSignificantBits(), id.getLeastSignificantBits()) != RecentIds.NEW;
    }

    private void give(Answer answer) {
        Membership member = answer.sent().by();
        try {
            if (answer.conflict()) {
                rooms.conflict(answer.sent());
            } else if (isKnown(answer.ack().messageId())) {
                counters.acknowledgedAgain.increment();
                rooms.acknowledge(member, answer.ack());
            } else {
                // Forgotten since: where the log has lost it, nobody may hear that it is there.
                member.subscriber.close(CloseCode.OUTCOME_UNKNOWN);
            }
        } catch (RuntimeException | Error failure) {
            logger.atError()
                    .addKeyValue(LineFields.ROOM, member.room())
                    .setCause(failure)
                    .log("a member of {} could not be told what it sent again", member.room());
            member.subscriber.close(CloseCode.INTERNAL_ERROR);
        }
    }
}
