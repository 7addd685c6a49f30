package chat.persistence.ingest;

import chat.log.ForwardingRoomLog;
import chat.log.RoomLog;

/** A log that reports that it outlives its process, as a broker's does. */
final class LastingLog extends ForwardingRoomLog {
    LastingLog(RoomLog log) {
        super(log);
    }

    @Override
    public boolean outlivesItsProcess() {
        return true;
    }

    /** A durable log keeps stored messages, too. */
    @Override
    public void release(int partition, long offset) {}

    @Override
    public void close() {}
}
