package chat.server.room;

import chat.protocol.RoomId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A history that has stored what the test says, up to where the test says. Thread-safe. */
final class FakeHistory implements History {
    private final List<RecentMessage> stored = new ArrayList<>();
    private final List<Gap> gaps = new ArrayList<>();
    private long storedThrough = -1;
    private boolean reachable = true;
    private int questions;
    private Runnable beforeAnswer = () -> {};
    private CompletableFuture<Void> answering = CompletableFuture.completedFuture(null);
    private CompletableFuture<Page> lastBefore = new CompletableFuture<>();

    synchronized void store(List<RecentMessage> messages) {
        stored.addAll(messages);
        storedThrough = stored.getLast().position();
    }

    /** As after entries without messages. */
    synchronized void storedThrough(long position) {
        storedThrough = position;
    }

    synchronized void lose(long from, long to) {
        gaps.add(new Gap(from, to));
        storedThrough = Math.max(storedThrough, to);
    }

    synchronized void reachable(boolean now) {
        reachable = now;
    }

    /** Requests for messages before a position wait until this is completed. */
    synchronized CompletableFuture<Void> hold() {
        answering = new CompletableFuture<>();
        return answering;
    }

    /** Whether the last who asked for what came before a position does not want an answer any more. */
    synchronized boolean isTakenBack() {
        return lastBefore.isCancelled();
    }

    synchronized int questions() {
        return questions;
    }

    /** Does this once, when it is asked for what follows; on the thread that asks, which measures the answer from then. */
    synchronized void beforeNextAnswer(Runnable step) {
        beforeAnswer = step;
    }

    @Override
    public synchronized CompletableFuture<Page> after(RoomId room, long position, int limit) {
        questions++;
        beforeAnswer.run();
        beforeAnswer = () -> {};
        if (!reachable) return CompletableFuture.failedFuture(new IllegalStateException("not reachable"));
        List<RecentMessage> all =
                stored.stream().filter(message -> message.position() > position).toList();
        List<Gap> within = gaps.stream().filter(gap -> gap.to() > position).toList();
        int end = Math.min(limit, all.size());
        while (end < all.size() && sharePosition(all, end)) end++;
        return CompletableFuture.completedFuture(
                new Page(all.subList(0, end), all.size() > end, storedThrough, within));
    }

    @Override
    public synchronized CompletableFuture<Page> before(RoomId room, long position, int limit) {
        questions++;
        if (!reachable) return CompletableFuture.failedFuture(new IllegalStateException("not reachable"));
        lastBefore = answering.thenApply(unused -> lastBefore(position, limit));
        return lastBefore;
    }

    private synchronized Page lastBefore(long position, int limit) {
        List<RecentMessage> all =
                stored.stream().filter(message -> message.position() < position).toList();
        int begin = Math.max(0, all.size() - limit);
        while (begin > 0 && sharePosition(all, begin)) begin--;
        return new Page(all.subList(begin, all.size()), begin > 0, storedThrough, List.of());
    }

    /** Whether a page that ends there would cut messages of one position apart. */
    private static boolean sharePosition(List<RecentMessage> all, int index) {
        return all.get(index - 1).position() == all.get(index).position();
    }
}
