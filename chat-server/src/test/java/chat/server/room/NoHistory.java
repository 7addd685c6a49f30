package chat.server.room;

import chat.protocol.RoomId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A history that can't be reached. */
public final class NoHistory implements History {
    @Override
    public CompletionStage<Page> after(RoomId room, long position, int limit) {
        return CompletableFuture.failedFuture(new IllegalStateException("none"));
    }

    @Override
    public CompletionStage<Page> before(RoomId room, long position, int limit) {
        return after(room, position, limit);
    }
}
