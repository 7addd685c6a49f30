package chat.server.room;

import chat.log.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of one segment of the log for the sessions of this server that sent its messages: the positions of their
 * JOINs and LEAVEs, and the acknowledgements. Not thread-safe.
 */
final class SegmentOutcome {
    final Map<Membership, Long> joined = new LinkedHashMap<>(2);
    final Map<Membership, Long> left = new LinkedHashMap<>(2);
    final Map<Membership, List<Membership.Ack>> acks = new HashMap<>(4);

    boolean changesMembers() {
        return !joined.isEmpty() || !left.isEmpty();
    }

    /**
     * Adds a message that a session of this server sent.
     *
     * @param i index of the message in the segment
     * @param position of the message
     * @param first position of an earlier copy of the message in the log, or negative
     */
    void add(PendingAck sent, Segment segment, int i, long position, long first) {
        switch (sent.type()) {
            case JOIN -> joined.put(sent.by(), position);
            case LEAVE -> {
                left.put(sent.by(), position);
                acknowledge(sent, segment, i, position, first);
            }
            case TEXT -> acknowledge(sent, segment, i, position, first);
        }
    }

    private void acknowledge(PendingAck sent, Segment segment, int i, long position, long first) {
        boolean repeated = first >= 0;
        acks.computeIfAbsent(sent.by(), unused -> new ArrayList<>(4))
                .add(new Membership.Ack(
                        segment.messageId(i), repeated ? first : position, segment.timestamp(i), repeated));
    }
}
