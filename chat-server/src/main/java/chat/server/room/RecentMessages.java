package chat.server.room;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The last messages of a room, without a hole: everything after {@link #coversAfter} is here. Confined to the
 * partition's thread.
 */
final class RecentMessages {
    private final int maxMessages;
    private final int maxBytes;
    private final Deque<RecentMessage> messages = new ArrayDeque<>();
    private long coversAfter;
    private int bytes;

    RecentMessages(int maxMessages, int maxBytes, long coversAfter) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        this.coversAfter = coversAfter;
    }

    /** Returns by how much the memory in use changed, in bytes. */
    int add(RecentMessage message) {
        int before = bytes;
        messages.add(message);
        bytes += message.json().length;
        while (messages.size() > maxMessages || (bytes > maxBytes && messages.size() > 1)) dropFirst();
        return bytes - before;
    }

    private void dropFirst() {
        RecentMessage first = messages.remove();
        bytes -= first.json().length;
        coversAfter = first.position();
    }

    /** Forgets everything; from now on only what comes later is here. Returns the bytes that became free. */
    int clear(long upTo) {
        int freed = bytes;
        messages.clear();
        bytes = 0;
        coversAfter = Math.max(coversAfter, upTo);
        return freed;
    }

    /** Forgets what stands up to a position. Returns the bytes that became free. */
    int dropUpTo(long position) {
        int before = bytes;
        RecentMessage first;
        while ((first = messages.peek()) != null && first.position() <= position) dropFirst();
        coversAfter = Math.max(coversAfter, position);
        return before - bytes;
    }

    long coversAfter() {
        return coversAfter;
    }

    /**
     * The position of the first message after this one, or -1 where there is none; the next possible one where the first
     * may be forgotten.
     */
    long firstAfter(long position) {
        if (position < coversAfter) return position + 1;
        long first = -1;
        Iterator<RecentMessage> newestFirst = messages.descendingIterator();
        while (newestFirst.hasNext()) {
            long next = newestFirst.next().position();
            if (next <= position) break;
            first = next;
        }
        return first;
    }

    /** Messages after the first position, and up to the second. */
    List<RecentMessage> between(long after, long upTo) {
        List<RecentMessage> found = new ArrayList<>();
        for (RecentMessage message : messages)
            if (message.position() > after && message.position() <= upTo) found.add(message);
        return found;
    }

    /** At most {@code limit} messages, the last before a position, ascending. */
    List<RecentMessage> before(long position, int limit) {
        Deque<RecentMessage> found = new ArrayDeque<>();
        Iterator<RecentMessage> newestFirst = messages.descendingIterator();
        while (newestFirst.hasNext() && found.size() < limit) {
            RecentMessage message = newestFirst.next();
            if (message.position() < position) found.addFirst(message);
        }
        return List.copyOf(found);
    }
}
