package chat.load.lab.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import chat.load.report.Finding;
import chat.load.report.Finding.Level;
import chat.load.report.Samples;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
    private static final int SECONDS = 80;
    private static final Span CHAT = new Span(10, 70);
    private static final double MB = 1 << 20;

    private final Samples samples = new Samples();

    @Test
    void aFullMachineIsNamedWithItsShares() {
        everySecond("machine.cores", 2);
        everySecond("machine.busy", 1.96);
        everySecond("machine.steal", 0);
        everySecond("chat-8081.cpu", 0.40);
        everySecond("chat-8082.cpu", 0.31);
        everySecond("rabbitmq.cpu", 0.38);
        everySecond("consumer.cpu", 0.20);
        everySecond("postgresql.cpu", 0.10);
        everySecond("generator.cpu", 0.52);
        assertThat(diagnose())
                .contains(saturated(
                        "CPU",
                        "1.96 of 2 cores were busy: chat servers 0.71, rabbitmq 0.38, consumer 0.20, postgresql 0.10,"
                                + " generator 0.52 (27 %), others 0.05"))
                .noneMatch(finding -> finding.resource().equals("bottleneck"));
    }

    @Test
    void oneProcessThatIsEverythingIsCalledThat() {
        everySecond("machine.busy", 2);
        everySecond("machine.steal", 0);
        everySecond("chat-8080.cpu", 1.5);
        everySecond("consumer.stored", 100);
        assertThat(diagnose())
                .contains(saturated("CPU", "2.00 of 2 cores were busy: chat server with consumer 1.50, others 0.50"));
    }

    @Test
    void aMachineWithCoresToSpareIsNotBlamed() {
        everySecond("machine.busy", 1.2);
        everySecond("machine.steal", 0);
        everySecond("chat-8081.cpu", 1.1);
        assertThat(diagnose())
                .noneMatch(finding -> finding.level() == Level.SATURATED)
                .anyMatch(finding -> finding.resource().equals("bottleneck")
                        && finding.text().startsWith("Nothing sampled was saturated"));
    }

    @Test
    void aFewFullSecondsDoNotMakeABottleneck() {
        series("machine.busy", second -> second < 35 ? 2 : 1);
        everySecond("machine.steal", 0);
        assertThat(diagnose()).noneMatch(finding -> finding.level() == Level.SATURATED);
    }

    @Test
    void onlyTheChatPhaseCounts() {
        series("machine.busy", second -> second < 10 || second >= 70 ? 0.1 : 2);
        series("machine.steal", second -> 0);
        assertThat(diagnose()).anyMatch(finding -> finding.level() == Level.SATURATED);
    }

    @Test
    void withoutAnySampleNothingIsNamed() {
        everySecond("client.deliveries", 5_000);
        assertThat(diagnose())
                .anyMatch(finding -> finding.resource().equals("bottleneck")
                        && finding.text().startsWith("None can be named"));
        assertThat(Diagnosis.of(new Samples(), new Span(0, 0), 2)).hasSize(1);
    }

    @Test
    void programsThatHaveNothingToDoWithTheRunAreSeen() {
        everySecond("machine.busy", 1.9);
        everySecond("machine.steal", 0);
        everySecond("chat-8081.cpu", 0.5);
        everySecond("generator.cpu", 0.5);
        assertThat(diagnose())
                .contains(notice(
                        "CPU",
                        "Other programs of this machine used 0.90 of its 2 cores: figures are not of this run alone"));
    }

    @Test
    void cpuThatTheHypervisorKeepsBack() {
        everySecond("machine.busy", 1.0);
        everySecond("machine.steal", 0.3);
        assertThat(diagnose()).anyMatch(finding -> finding.resource().equals("CPU of the host"));
    }

    @Test
    void oneFullThreadIsABottleneckOnAMachineWithIdleCores() {
        everySecond("machine.busy", 1.3);
        everySecond("machine.steal", 0);
        everySecond("node-3000.cpu", 1.02);
        for (int second = 4; second < SECONDS; second += 5) samples.put(second, "node-3000.busiestThread", 0.99);
        assertThat(diagnose())
                .contains(
                        saturated(
                                "node-3000",
                                "One thread of node-3000 used 0.99 of a core, and can't use more, however many cores there are"));
    }

    @Test
    void nodeIsKnownToHaveOneThreadWhereThreadsAreNotCounted() {
        everySecond("node-3000.cpu", 1.0);
        everySecond("chat-8081.cpu", 1.0);
        assertThat(diagnose())
                .filteredOn(finding -> finding.level() == Level.SATURATED)
                .extracting(Finding::resource)
                .containsExactly("node-3000");
    }

    @Test
    void aBusyDisk() {
        everySecond("disk-vda.busy", 0.98);
        everySecond("disk-vda.queue", 12);
        everySecond("disk-vda.await", 8.25);
        assertThat(diagnose())
                .contains(saturated(
                        "disk-vda",
                        "It was busy 98 % of the time, with 12.0 requests under way that took 8.3 ms each"));
    }

    @Test
    void garbageCollection() {
        everySecond("consumer.gcPause", 0.08);
        everySecond("chat-8081.gcPause", 0.04);
        assertThat(diagnose())
                .filteredOn(finding -> finding.level() == Level.SATURATED)
                .containsExactly(saturated("consumer", "Garbage collection stopped it for 8.0 % of the time"));
    }

    @Test
    void boundsThatAreReached() {
        everySecond("chat-8081.sessions", 100);
        everySecond("chat-8081.sessionsMax", 100);
        everySecond("consumer.poolActive", 4);
        everySecond("consumer.poolMax", 5);
        everySecond("consumer.poolPending", 3);
        everySecond("chat-8081.paused", 12);
        everySecond("rabbitmq.memoryAlarm", 1);
        assertThat(diagnose())
                .filteredOn(finding -> finding.level() == Level.SATURATED)
                .extracting(Finding::resource, Finding::text)
                .containsExactlyInAnyOrder(
                        tuple("chat-8081", "All of its 100 sessions were in use (median)"),
                        tuple(
                                "consumer",
                                "3 of its tasks waited for a connection for writing to the database (median)"),
                        tuple(
                                "log",
                                "Sessions of chat-8081 stopped reading 12 times/s, as the batch that waits for the log was"
                                        + " full"),
                        tuple("rabbitmq", "It raised an alarm (memoryAlarm) and blocked its publishers"));
    }

    @Test
    void storageThatFallsBehindIsANoticeSinceChatDoesNotWaitForIt() {
        series("consumer.lag", second -> 0.2 * second);
        series("consumer.depth", second -> 1_000.0 * second);
        everySecond("consumer.stored", 9_000);
        everySecond("chat-8081.accepted", 4_000);
        everySecond("chat-8082.accepted", 6_000);
        assertThat(diagnose())
                .contains(notice(
                        "consumer",
                        "Storing fell behind by 0.20 s each second, to 13.8 s (69,000 messages): 9,000 messages/s of"
                                + " 10,000. Chat does not wait for it"));
    }

    @Test
    void lagThatComesAndGoesIsNotWorthAWord() {
        series("consumer.lag", second -> second % 7 == 0 ? 2 : 0.3);
        assertThat(diagnose()).noneMatch(finding -> finding.resource().equals("consumer"));
    }

    @Test
    void aHeapThatGrowsSteadily() {
        series("chat-8081.heapAfterGc", second -> (100 + second) * MB);
        everySecond("chat-8081.heapMax", 1024 * MB);
        series("chat-8082.heapAfterGc", second -> (100 + second % 30) * MB);
        everySecond("chat-8082.heapMax", 1024 * MB);
        assertThat(diagnose())
                .filteredOn(finding -> finding.level() == Level.NOTICE)
                .containsExactly(notice(
                        "chat-8081",
                        "What its heap holds after garbage collections grew steadily, by 60 MB per minute"));
    }

    @Test
    void lostSegmentsAndDroppedConnections() {
        everySecond("machine.segments", 50_000);
        everySecond("machine.retransmits", 1_000);
        series("machine.listenDrops", second -> second == 20 ? 7 : 0);
        assertThat(diagnose())
                .contains(
                        notice("network", "TCP sent 2.00 % of its segments again (1000/s)"),
                        notice(
                                "network",
                                "7 connection attempts were dropped, as a server did not accept them in time"));
    }

    @Test
    void faultsAreCounted() {
        series("chat-8081.closedSlow", second -> second == 30 ? 12 : 0);
        everySecond("consumer.retries", 0);
        everySecond("client.retries", 50);
        assertThat(diagnose())
                .filteredOn(finding -> finding.level() == Level.NOTICE)
                .containsExactly(notice("chat-8081", "12 sockets were closed as they read too slowly"));
    }

    @Test
    void coldJvms() {
        everySecond("machine.busy", 1.9);
        everySecond("machine.steal", 0);
        everySecond("chat-8081.jit", 0.4);
        everySecond("generator.jit", 0.2);
        assertThat(diagnose())
                .contains(
                        notice(
                                "warm-up",
                                "The JVMs' compilers were at work for 0.60 s in each second, on 2 cores: they were not warm yet"));
    }

    @Test
    void costOfADeliveryIsReported() {
        everySecond("chat-8081.cpu", 0.8);
        everySecond("rabbitmq.cpu", 0.4);
        everySecond("generator.cpu", 0.3);
        everySecond("client.deliveries", 500_000);
        everySecond("client.accepted", 10_000);
        assertThat(diagnose())
                .contains(new Finding(
                        "CPU per delivery",
                        "2.40 µs of the servers (chat servers 1.60, rabbitmq 0.80), 0.60 µs of the generator, and per message"
                                + " 120 µs of the servers",
                        Level.INFO));
    }

    @Test
    void theShapeOfTheThroughputIsAFinding() {
        series("client.deliveries", second -> second % 6 < 3 ? 100_000 : 40_000);
        assertThat(diagnose())
                .anyMatch(finding -> finding.resource().equals("throughput")
                        && finding.level() == Level.NOTICE
                        && finding.text().startsWith("Uneven: "));
    }

    @Test
    void theGravestComesFirst() {
        everySecond("machine.busy", 1.0);
        everySecond("machine.steal", 0);
        everySecond("chat-8081.errors", 1);
        everySecond("consumer.gcPause", 0.5);
        assertThat(diagnose()).extracting(Finding::level).isSorted();
    }

    private List<Finding> diagnose() {
        return Diagnosis.of(samples, CHAT, 2);
    }

    private void everySecond(String name, double value) {
        series(name, second -> value);
    }

    private void series(String name, IntToDoubleFunction values) {
        for (int second = 0; second < SECONDS; second++) samples.put(second, name, values.applyAsDouble(second));
    }

    private static Finding saturated(String resource, String text) {
        return new Finding(resource, text, Level.SATURATED);
    }

    private static Finding notice(String resource, String text) {
        return new Finding(resource, text, Level.NOTICE);
    }
}
