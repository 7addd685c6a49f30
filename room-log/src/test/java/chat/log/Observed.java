package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** Records the calls that one reader of a partition makes, in order. Thread-safe. */
final class Observed implements LogListener {
    /** @param entry incarnation and sequence of the message's entry */
    record Message(long position, UUID id, String text, String entry) {}

    private final List<Message> messages = new ArrayList<>();
    private final List<LogEntry> entries = new ArrayList<>();
    private final List<LogGap> gaps = new ArrayList<>();
    private final List<Checkpoint> beyondTheEnd = new ArrayList<>();

    @Override
    public synchronized void entry(LogEntry entry) {
        entries.add(entry);
        for (Segment segment : entry.segments()) {
            for (int i = 0; i < segment.size(); i++)
                messages.add(new Message(
                        entry.position(segment.firstIndex() + i),
                        segment.messageId(i),
                        Samples.text(segment, i),
                        entry.header().incarnation() + "/" + entry.header().sequence()));
        }
    }

    @Override
    public synchronized void gap(LogGap gap) {
        gaps.add(gap);
    }

    @Override
    public synchronized void endsEarly(Checkpoint lookedFor) {
        beyondTheEnd.add(lookedFor);
    }

    synchronized List<Message> messages() {
        return List.copyOf(messages);
    }

    synchronized List<LogEntry> entries() {
        return List.copyOf(entries);
    }

    synchronized List<LogGap> gaps() {
        return List.copyOf(gaps);
    }

    /** The checkpoints that were above the end of the log. */
    synchronized List<Checkpoint> beyondTheEnd() {
        return List.copyOf(beyondTheEnd);
    }

    Set<UUID> ids() {
        Set<UUID> ids = new HashSet<>();
        messages().forEach(message -> ids.add(message.id()));
        return ids;
    }

    List<String> texts() {
        return messages().stream().map(Message::text).toList();
    }

    /** The highest position of any entry, with or without messages. */
    long highest() {
        return entries().stream().mapToLong(LogEntry::lastPosition).max().orElse(0);
    }

    /** The checkpoint after the last entry. */
    Checkpoint checkpoint() {
        return checkpoint(entries().getLast());
    }

    static Checkpoint checkpoint(LogEntry entry) {
        return new Checkpoint(
                entry.epoch(),
                entry.offset(),
                entry.header().incarnation(),
                entry.header().sequence());
    }

    void assertAscendingAndOnce() {
        assertAscendingAndOnce(messages());
    }

    static void assertAscendingAndOnce(List<Message> all) {
        Map<UUID, Message> seen = new HashMap<>();
        long before = -1;
        for (Message message : all) {
            assertThat(message.position()).as("position of " + message).isGreaterThan(before);
            assertThat(seen.put(message.id(), message))
                    .as("earlier delivery of " + message)
                    .isNull();
            before = message.position();
        }
    }
}
