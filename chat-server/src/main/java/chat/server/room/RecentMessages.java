package chat.server.room;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The recent messages of a room: contains every message after {@link #coversAfter}. Confined to the partition's thread.
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

    /** Adds a message and evicts old ones. Returns the change of the memory in use, in bytes. */
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

    /** Drops all messages, up to the given position or later. Returns the freed bytes. */
    int clear(long upTo) {
        int freed = bytes;
        messages.clear();
        bytes = 0;
        coversAfter = Math.max(coversAfter, upTo);
        return freed;
    }

    /** Drops messages up to a position. Returns the freed bytes. */
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
     * Returns the position of the first message after the given one; -1 if there is none; the next position if the
     * first message may have been dropped.
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

    /** Returns the messages after the first position, up to and including the second. */
    List<RecentMessage> between(long after, long upTo) {
        List<RecentMessage> found = new ArrayList<>();
        for (RecentMessage message : messages)
            if (message.position() > after && message.position() <= upTo) found.add(message);
        return found;
    }

    /** Returns the last {@code limit} messages before a position, in ascending order. */
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
