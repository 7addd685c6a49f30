package chat.server.session;

import chat.protocol.RoomId;
import chat.server.room.History;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A history that can't be reached. */
final class NoHistory implements History {
    @Override
    public CompletionStage<Page> after(RoomId room, long position, int limit) {
        return CompletableFuture.failedFuture(new IllegalStateException("none"));
    }

    @Override
    public CompletionStage<Page> before(RoomId room, long position, int limit) {
        return after(room, position, limit);
    }
}
