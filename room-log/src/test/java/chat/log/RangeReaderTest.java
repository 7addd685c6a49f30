package chat.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RangeReaderTest {
    private static final long EPOCH = 1_000_000;

    private final InMemoryRoomLog log = new InMemoryRoomLog(1, 1 << 20, Clock.systemUTC());
    private final ScheduledExecutorService thread = PartitionLoop.named("stretch");
    private final AtomicReference<@Nullable RangeReader> reader = new AtomicReference<>();
    private final List<String> received = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        log.close();
        thread.shutdown();
    }

    private void append(byte[] entry) {
        log.append(0, entry).toCompletableFuture().join();
    }

    private void read(long from, int stopAfter) {
        thread.execute(() -> reader.set(new RangeReader(
                log, 0, new RoomLog.Start.At(from), EPOCH, thread, new RangeReader.Listener() {
                    @Override
                    public void entry(long offset, @Nullable LogEntry entry, int bytes) {
                        String text = entry == null
                                ? "nothing"
                                : Samples.text(entry.segments().getFirst(), 0);
                        receive(offset + " " + text);
                    }

                    @Override
                    public void malformed(long offset) {
                        receive(offset + " malformed");
                    }

                    @Override
                    public void ended(LogUnavailable cause) {
                        received.add("ended");
                    }

                    private void receive(String what) {
                        received.add(what);
                        RangeReader self = reader.get();
                        if (received.size() == stopAfter && self != null) self.close();
                    }
                })));
    }

    private void write() {
        append(EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, EPOCH, 7, 1)));
        append(Samples.entry(EPOCH, 7, 2, Samples.message("r", "one")));
        append(Samples.entry(EPOCH - 5, 8, 1, Samples.message("r", "of another log")));
        append(new byte[] {99});
        append(Samples.entry(EPOCH, 7, 2, Samples.message("r", "one")));
        append(Samples.entry(EPOCH, 7, 3, Samples.message("r", "two")));
    }

    @Test
    void deliversAllEntriesWithDuplicates() {
        write();
        read(0, 100);
        await().until(() -> received.size() == 6);
        assertThat(received).containsExactly("0 nothing", "1 one", "2 nothing", "3 malformed", "4 one", "5 two");
        log.close();
        await().until(() -> received.contains("ended"));
    }

    @Test
    void endsWhenTheLogWasReplaced() {
        append(Samples.entry(EPOCH, 7, 1, Samples.message("r", "one")));
        append(EntryBuilder.encodeEmpty(Samples.header(EntryKind.HELLO, EPOCH + 5, 8, 1)));
        append(Samples.entry(EPOCH, 7, 2, Samples.message("r", "two")));
        append(Samples.entry(EPOCH + 5, 8, 2, Samples.message("r", "of a later log")));
        append(Samples.entry(EPOCH, 7, 3, Samples.message("r", "three")));
        read(0, 100);
        await().until(() -> received.contains("ended"));
        thread.shutdown();
        await().until(thread::isTerminated);
        assertThat(received).containsExactly("0 one", "1 nothing", "2 two", "ended");
    }

    @Test
    void startsAtTheGivenOffsetAndStopsWhenClosed() {
        write();
        read(4, 1);
        await().until(() -> !received.isEmpty());
        append(Samples.entry(EPOCH, 7, 4, Samples.message("r", "three")));
        log.close();
        thread.shutdown();
        await().until(thread::isTerminated);
        assertThat(received).containsExactly("4 one");
    }

    @Test
    void readsMoreEntriesThanItsCredit() {
        for (int i = 0; i < 200; i++) append(Samples.entry(EPOCH, 7, i + 1, Samples.message("r", "t" + i)));
        read(10, 1000);
        await().until(() -> received.size() == 190);
        assertThat(received).startsWith("10 t10").endsWith("199 t199");
    }
}
