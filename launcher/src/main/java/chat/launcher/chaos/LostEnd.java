package chat.launcher.chaos;

import chat.nodes.RabbitNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Lets the only broker forget the last seconds of the log, as after a power failure, because RabbitMQ writes streams
 * without fsync. Blocks publishers first until everything accepted is stored: nothing may be lost then, and members
 * must receive a GAP for the positions that the log has forgotten.
 */
final class LostEnd implements Fault {
    private static final String OFFSETS = "SELECT sum(log_offset) FROM log_position";
    private static final String GAPS = "SELECT count(*) FROM log_gap WHERE reason = 'REPLACED'";
    /** Several times the maximum age of a batch. */
    private static final long STORED_MILLIS = 3_000;

    private final Target target;
    private final RabbitNode broker;
    private final Path copy;
    private final Duration forgotten;
    private long gaps;

    /** @param forgotten how much of the log the broker forgets */
    LostEnd(Target target, Duration forgotten) {
        this.target = target;
        this.broker = target.broker();
        this.copy = target.logs().resolve("broker-data");
        this.forgotten = forgotten;
    }

    @Override
    public void inject() throws InterruptedException {
        gaps = Sql.number(target, GAPS);
        broker.copyData(copy);
        TimeUnit.MILLISECONDS.sleep(forgotten.toMillis());
        broker.ctl("set_vm_memory_high_watermark", "0");
        awaitStored();
        broker.kill();
        broker.replaceData(copy);
    }

    private void awaitStored() throws InterruptedException {
        long before;
        long now = Sql.number(target, OFFSETS);
        do {
            before = now;
            TimeUnit.MILLISECONDS.sleep(STORED_MILLIS);
            now = Sql.number(target, OFFSETS);
        } while (now != before);
    }

    @Override
    public void heal() {
        broker.start();
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        return Waiting.within(Waiting.PATIENCE, () -> Sql.number(target, GAPS) > gaps)
                ? List.of()
                : List.of("no gap of the log was recorded");
    }
}
