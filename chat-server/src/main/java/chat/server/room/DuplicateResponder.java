package chat.server.room;

import chat.log.LineFields;
import chat.log.OutgoingMessage;
import chat.protocol.CloseCode;
import chat.protocol.MessageType;
import chat.server.dedup.ContentHash;
import chat.server.dedup.DedupWindow;
import chat.server.dedup.MessageKey;
import chat.server.dedup.MessageWithDerivedId;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers a message whose id its sender has used before in the same room, before it is published: the same TEXT with an
 * ACK of its first position, anything else as a conflict. A message that is not found here, or finds the queue full, is
 * published like any other. {@link #answer} may be called on any thread; the partition's thread sends the answers, in
 * order with the member's other frames.
 */
final class DuplicateResponder {
    private static final Logger logger = LoggerFactory.getLogger(DuplicateResponder.class);

    /**
     * Maximum answers queued for the partition's thread; beyond it, messages are published and the log's bounds apply.
     */
    private static final int MAX_WAITING = 1024;

    private final DedupWindow window;
    private final Executor loop;
    private final PartitionRooms rooms;
    private final RoomCounters counters;
    private final AtomicInteger waiting = new AtomicInteger();

    /** @param keyHigh with {@code keyLow} the {@link MessageKey} of the message that is acknowledged */
    private record Answer(PendingAck sent, Membership.Ack ack, boolean conflict, long keyHigh, long keyLow) {}

    DuplicateResponder(DedupWindow window, Executor loop, PartitionRooms rooms, RoomCounters counters) {
        this.window = window;
        this.loop = loop;
        this.rooms = rooms;
        this.counters = counters;
    }

    /** Returns true if the sender will receive an answer and the message must not be published. */
    boolean answer(OutgoingMessage message, PendingAck sent) {
        if (!message.messageId().equals(sent.clientMessageId())) return false; // the server has just created the id
        byte[] json = message.json();
        long content = ContentHash.of(message.type(), message.timestamp(), json, 0, json.length);
        MessageKey.OfRoom room = MessageKey.OfRoom.of(message.room());
        MessageKey key = new MessageKey().of(room, message.messageId(), message.userId());
        long first = window.look(key.high(), key.low(), content);
        if (first == DedupWindow.NEW) return false;
        if (DedupWindow.isConflict(first) && message.type() == MessageType.TEXT) {
            // The message may have been published under a derived id, and its ACK lost.
            MessageWithDerivedId renamed = MessageWithDerivedId.of(message.room(), json);
            if (renamed != null) {
                key.of(room, renamed.id(), renamed.userId());
                long renamedFirst = window.look(key.high(), key.low(), content);
                if (renamedFirst != DedupWindow.NEW) first = renamedFirst;
            }
        }
        // Each JOIN and LEAVE changes membership again, so it needs an id of its own.
        boolean conflict = DedupWindow.isConflict(first) || message.type() != MessageType.TEXT;
        Membership.Ack ack = new Membership.Ack(message.messageId(), first, message.timestamp(), true);
        return enqueue(new Answer(sent, ack, conflict, key.high(), key.low()));
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

    private boolean isKnown(Answer answer) {
        return window.known(answer.keyHigh, answer.keyLow) != DedupWindow.NEW;
    }

    private void give(Answer answer) {
        Membership member = answer.sent().by();
        try {
            if (answer.conflict()) {
                rooms.conflict(answer.sent());
            } else if (isKnown(answer)) {
                counters.acknowledgedAgain.increment();
                rooms.acknowledge(member, answer.ack());
            } else {
                // Dropped from the window since: the log may have lost the message, so it must not be acknowledged.
                member.subscriber.close(CloseCode.OUTCOME_UNKNOWN);
            }
        } catch (RuntimeException | Error failure) {
            logger.atError()
                    .addKeyValue(LineFields.ROOM, member.room())
                    .setCause(failure)
                    .log("failed to answer a resend in room {}: closing the session", member.room());
            member.subscriber.close(CloseCode.INTERNAL_ERROR);
        }
    }
}
