package chat.persistence.ingest;

import chat.log.RoomLog;
import java.util.List;

/**
 * State of reading and storing.
 *
 * @param database result of the last access
 * @param prepared whether the schema exists and the partitions have started
 * @param log state of the log
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
