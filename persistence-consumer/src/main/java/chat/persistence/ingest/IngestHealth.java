package chat.persistence.ingest;

import chat.log.RoomLog;
import java.util.List;

/**
 * How reading and storing are going.
 *
 * @param database the last that was heard of it
 * @param prepared whether the schema is in place and partitions have been started
 * @param log the state of the log
 */
public record IngestHealth(Database database, boolean prepared, RoomLog.State log, List<PartitionStatus> partitions) {
    public enum Database {
        /** Not reached yet, and no attempt has failed. */
        STARTING,
        UP,
        DOWN
    }

    public boolean isUp() {
        return database == Database.UP && log != RoomLog.State.DOWN;
    }
}
