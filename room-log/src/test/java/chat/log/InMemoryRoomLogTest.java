package chat.log;

import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;

class InMemoryRoomLogTest extends RoomLogContract {
    @Override
    LogUnderTest create() {
        return new InMemory();
    }

    private static final class InMemory implements LogUnderTest {
        private static final int PARTITIONS = 3;
        private final InMemoryRoomLog shared = new InMemoryRoomLog(PARTITIONS, 64 << 20, Clock.systemUTC());
        private final List<CuttableLog> servers = new CopyOnWriteArrayList<>();
        private final long[] remembered = new long[PARTITIONS];
        private final Random random = new Random(7);

        @Override
        public RoomLog server() {
            CuttableLog server = new CuttableLog(shared);
            servers.add(server);
            return server;
        }

        @Override
        public void cutPublishing() {
            cutInTheMiddle();
            long appended = appended();
            servers.forEach(CuttableLog::restorePublishing);
            // Stored entries are read after they were republished: other readers get duplicates.
            until(() -> appended() > appended);
            servers.forEach(CuttableLog::resumeReading);
        }

        private void cutInTheMiddle() {
            servers.forEach(CuttableLog::pauseReading);
            for (CuttableLog server : servers) server.holdConfirms(random.nextInt(3));
            until(() -> servers.stream().anyMatch(CuttableLog::hasUnconfirmed));
            servers.forEach(CuttableLog::cutPublishing);
        }

        private long appended() {
            return servers.stream().mapToLong(CuttableLog::appended).sum();
        }

        private static void until(Callable<Boolean> condition) {
            await().pollInterval(Duration.ofMillis(2)).until(condition);
        }

        @Override
        public void cutReading() {
            servers.forEach(CuttableLog::cutReading);
            servers.forEach(CuttableLog::restoreReading);
        }

        @Override
        public void goDown() {
            cutInTheMiddle();
            servers.forEach(CuttableLog::cutReading);
        }

        @Override
        public void comeUp() {
            servers.forEach(CuttableLog::restorePublishing);
            servers.forEach(CuttableLog::restoreReading);
        }

        @Override
        public void hang() {
            for (CuttableLog server : servers) server.holdConfirms(0);
        }

        @Override
        public void goOn() {
            servers.forEach(CuttableLog::goOn);
        }

        @Override
        public void unroute(int partition) {
            for (CuttableLog server : servers) server.unroute(partition);
        }

        @Override
        public void route(int partition) {
            for (CuttableLog server : servers) server.route(partition);
        }

        @Override
        public void deleteAndDeclareAgain(int partition) {
            shared.reset(partition);
        }

        @Override
        public void truncateBelow(int partition, long offset, Runnable writeSome) {
            shared.truncate(partition, offset);
        }

        @Override
        public void remember() {
            for (int i = 0; i < PARTITIONS; i++) remembered[i] = shared.end(i);
        }

        @Override
        public void loseTail() {
            servers.forEach(CuttableLog::cutPublishing);
            servers.forEach(CuttableLog::cutReading);
            for (int i = 0; i < PARTITIONS; i++) shared.loseTail(i, (int) (shared.end(i) - remembered[i]));
            comeUp();
        }

        @Override
        public void close() {
            servers.forEach(CuttableLog::close);
            shared.close();
        }
    }
}
