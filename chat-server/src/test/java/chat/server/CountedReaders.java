package chat.server;

import chat.log.ForwardingRoomLog;
import chat.log.LogUnavailable;
import chat.log.RoomLog;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A log that knows who reads it: who began, and has neither closed nor been told of an end. Thread-safe. */
final class CountedReaders extends ForwardingRoomLog {
    private final Set<Object> open = ConcurrentHashMap.newKeySet();

    CountedReaders(RoomLog log) {
        super(log);
    }

    int open() {
        return open.size();
    }

    @Override
    public Tail tail(int partition, Start start, TailHandler handler) {
        Object reader = new Object();
        open.add(reader);
        Tail tail = super.tail(partition, start, new TailHandler() {
            @Override
            public void entry(long offset, byte[] bytes) {
                handler.entry(offset, bytes);
            }

            @Override
            public void ended(LogUnavailable cause) {
                open.remove(reader);
                handler.ended(cause);
            }
        });
        return new Tail() {
            @Override
            public void handled(long offset) {
                tail.handled(offset);
            }

            @Override
            public void close() {
                open.remove(reader);
                tail.close();
            }
        };
    }
}
