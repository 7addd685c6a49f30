package chat.server.room;

import chat.protocol.RoomId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;

/** A history whose every room has the same messages, and that answers when the test lets it. Thread-safe. */
final class HeldHistory implements History {
    private final int messages;
    private final byte[] json;
    private final List<Question> open = new ArrayList<>();
    private final List<RoomId> asked = new ArrayList<>();

    /** One that has not been answered. */
    record Question(RoomId room, CompletableFuture<Page> answer) {}

    /** @param messages of every room, with JSON of the given size */
    HeldHistory(int messages, int messageBytes) {
        this.messages = messages;
        String around = "{\"messageType\":\"TEXT\",\"message\":\"\"}";
        this.json = around.replace("\"\"", "\"" + "x".repeat(messageBytes - around.length()) + "\"")
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public synchronized CompletableFuture<Page> after(RoomId room, long position, int limit) {
        Question question = new Question(room, new CompletableFuture<>());
        open.add(question);
        asked.add(room);
        return question.answer();
    }

    @Override
    public CompletableFuture<Page> before(RoomId room, long position, int limit) {
        return after(room, position, limit);
    }

    /** Questions without an answer, in the order in which they were asked. */
    synchronized List<Question> open() {
        open.removeIf(question -> question.answer().isDone());
        return List.copyOf(open);
    }

    /** All rooms that were asked for, in their order. */
    synchronized List<RoomId> asked() {
        return List.copyOf(asked);
    }

    /** Answers a question with all messages of its room. */
    void answer(Question question) {
        List<RecentMessage> all = LongStream.rangeClosed(1, messages)
                .mapToObj(position -> new RecentMessage(position, json))
                .toList();
        question.answer().complete(new Page(all, false, Long.MAX_VALUE / 2, List.of()));
    }

    /** Memory of one page, as it is accounted. */
    long pageBytes() {
        return (long) messages * (json.length + RoomSettings.MESSAGE_OVERHEAD);
    }
}
