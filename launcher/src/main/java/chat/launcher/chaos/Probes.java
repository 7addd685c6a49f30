package chat.launcher.chaos;

import chat.protocol.RoomId;
import java.net.URI;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Probes one room of each partition. */
final class Probes implements AutoCloseable {
    private final List<RoomProbe> probes;

    /**
     * Starts the probes.
     *
     * @param proxy {@code http://host:port} of HAProxy
     */
    Probes(URI proxy, int partitions) {
        this.probes = IntStream.range(0, partitions)
                .mapToObj(partition -> new RoomProbe(roomOf(partition, partitions), proxy))
                .toList();
    }

    private static RoomId roomOf(int partition, int partitions) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> new RoomId("probe-" + i))
                .filter(room -> room.partition(partitions) == partition)
                .findFirst()
                .orElseThrow();
    }

    /**
     * Waits until messages are accepted in every partition and reach the history.
     *
     * @throws ChaosFailure if that takes longer than two minutes
     */
    void awaitWell() throws InterruptedException {
        if (!Waiting.within(Waiting.PATIENCE, () -> probes.stream().allMatch(RoomProbe::isWell)))
            throw new ChaosFailure("the platform has not recovered after " + Waiting.PATIENCE.toSeconds() + " s"
                    + probes.stream().map(probe -> "\n  " + probe.state()).collect(Collectors.joining()));
    }

    /** Waits until every partition has accepted a message after this call. */
    void awaitAccepted() throws InterruptedException {
        long now = System.nanoTime();
        Waiting.until(
                "each partition to accept messages",
                () -> probes.stream().allMatch(probe -> probe.hasAcceptedSince(now)));
    }

    void begin() {
        probes.forEach(RoomProbe::begin);
    }

    void recover() {
        probes.forEach(RoomProbe::recover);
    }

    /** Returns the worst measurement of all partitions since {@link #begin}. */
    RoomProbe.Seen seen() {
        return probes.stream()
                .map(RoomProbe::seen)
                .reduce(RoomProbe.Seen::worst)
                .orElseThrow();
    }

    /** Stops the probes: they send no more messages. */
    @Override
    public void close() {
        probes.forEach(RoomProbe::close);
    }
}
