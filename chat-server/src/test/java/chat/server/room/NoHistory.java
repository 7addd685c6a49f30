package chat.server.room;

import chat.protocol.RoomId;
import java.util.concurrent.CompletableFuture;

/** A history that can't be reached. */
public final class NoHistory implements History {
    @Override
    public CompletableFuture<Page> after(RoomId room, long position, int limit) {
        return CompletableFuture.failedFuture(new IllegalStateException("none"));
    }

    @Override
    public CompletableFuture<Page> before(RoomId room, long position, int limit) {
        return after(room, position, limit);
    }
}
