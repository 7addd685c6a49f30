package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import chat.load.lab.sample.ProcessFinder.Found;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class ProcessProbeTest {
    private final AtomicLong nanos = new AtomicLong();
    private final RecordedSink sink = new RecordedSink();

    @TempDir
    private Path directory;

    @Test
    void commandsMayHoldAnything() {
        ProcessStat stat = ProcessStat.parse("29206 (a) (b c) S 29009 29004 25842 0 -1 4194304 114567 0 4 0 1258 212 7"
                + " 3 20 0 47 0 1218527 3777351680 92019 18446744073709551615 94387882041344\n");
        assertThat(stat).isEqualTo(new ProcessStat(29206, 29009, "a) (b c", 1265, 215, 47, 1218527));
    }

    @Test
    void descendantsCountWithTheirProcess() throws IOException {
        ProcTree proc = new ProcTree(directory)
                .process(30, 1, "postgres", 100, 50, 7)
                .process(31, 30, "postgres", 10, 5, 8)
                .process(32, 31, "postgres", 1, 2, 9)
                .process(40, 1, "other", 1000, 1000, 9);
        ProcessProbe probe = probe(proc, found("postgresql", 30, 7));
        probe.sample(sink);
        assertThat(sink.totals)
                .containsEntry("postgresql.cpu", 1.68)
                .containsEntry("postgresql.cpuUser", 1.11)
                .containsEntry("postgresql.cpuSystem", 0.57);
        // 300 pages each of their own, and 200 that all three map.
        assertThat(sink.gauges).containsEntry("postgresql.rss", 1100.0 * 4096).containsEntry("postgresql.threads", 9.0);
    }

    @Test
    void aDescendantWithANameOfItsOwnIsNotCountedTwice() throws IOException {
        ProcTree proc = new ProcTree(directory)
                .process(10, 1, "java", 100, 0, 5)
                .process(20, 10, "beam.smp", 40, 0, 6)
                .process(21, 20, "inet_gethost", 2, 0, 6);
        ProcessProbe probe = probe(proc, found("chat-8080", 10, 5), found("rabbitmq", 20, 6));
        probe.sample(sink);
        assertThat(sink.totals).containsEntry("chat-8080.cpu", 1.0).containsEntry("rabbitmq.cpu", 0.42);
    }

    @Test
    void diskAndDescriptorsAreSeenWhereTheSystemShowsThem() throws IOException {
        ProcTree proc = new ProcTree(directory)
                .process(10, 1, "java", 1, 0, 5)
                .write("10/io", """
                        rchar: 9
                        wchar: 8
                        read_bytes: 22011904
                        write_bytes: 188416
                        cancelled_write_bytes: 3
                        """)
                .process(11, 1, "java", 1, 0, 5);
        ProcessProbe probe = probe(proc, found("mine", 10, 5), found("others", 11, 5));
        probe.sample(sink);
        assertThat(sink.totals)
                .containsEntry("mine.readBytes", 22_011_904.0)
                .containsEntry("mine.writeBytes", 188_416.0)
                .doesNotContainKey("others.readBytes");
    }

    @Test
    void aProcessStartedAgainIsFoundAndBeginsANewLife() throws IOException {
        ProcTree proc = new ProcTree(directory)
                .write("net/tcp", """
                          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
                           0: 00000000:1F91 00000000:0000 0A 0:0 00:0 0 0 0 77 1 0
                        """)
                .process(12, 1, "java", 3, 0, 900)
                .socket(12, 5, 77);
        ProcessFinder finder = new ProcessFinder(proc.files(), List.of(8081), null);
        ProcessProbe probe = new ProcessProbe(proc.files(), finder, nanos::get);
        probe.track(List.of(found("chat-8081", 11, 5)));
        for (int second = 0; second < 2; second++) probe.sample(sink);
        assertThat(sink.totals).doesNotContainKey("chat-8081.cpu");
        for (int second = 2; second <= 5; second++) probe.sample(sink);
        assertThat(sink.totals).containsEntry("chat-8081.cpu", 0.03);
        assertThat(sink.lives).containsEntry("chat-8081.cpu", 900L);
    }

    @Test
    void theBusiestThreadIsToldByName() throws IOException {
        ProcTree proc = new ProcTree(directory).process(40, 1, "node", 1, 0, 5);
        thread(proc, 40, 0, 0, 10, 1);
        thread(proc, 41, 0, 0, 0, 0);
        proc.write("40/task/40/comm", "MainThread\n");
        ProcessProbe probe = probe(proc, found("node-3000", 40, 5));
        probe.sample(sink);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(5));
        thread(proc, 40, 4_900_000_000L, 50_000_000, 110, 21);
        thread(proc, 41, 100_000_000L, 950_000_000L, 5, 0);
        for (int second = 1; second <= ThreadTimes.EVERY_SECONDS; second++) probe.sample(sink);
        assertThat(sink.gauge("node-3000.busiestThread")).isCloseTo(0.98, within(1e-9));
        assertThat(sink.totals)
                .containsEntry("node-3000.cpuWait", 1.0)
                .containsEntry("node-3000.switches", 105.0)
                .containsEntry("node-3000.preemptions", 20.0);
        assertThat(sink.told).containsExactly("node-3000: its thread MainThread used a whole core for at least 5 s");
    }

    /** The real thing: what this machine says about a process that computes. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aRealChildIsMeasured() throws Exception {
        Process child = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try {
            int pid = (int) child.pid();
            ProcFiles proc = ProcFiles.ofThisMachine();
            ProcessProbe probe = new ProcessProbe(proc, new ProcessFinder(proc, List.of(), null), System::nanoTime);
            ProcessStat begin = Objects.requireNonNull(ProcessStat.read(proc, pid));
            probe.track(List.of(new Found("child", "sh", begin, new TreeSet<>())));
            double cpu = 0;
            while (cpu < 0.3) {
                probe.sample(sink);
                cpu = sink.total("child.cpu");
            }
            assertThat(sink.total("child.cpuUser") + sink.total("child.cpuSystem"))
                    .isCloseTo(cpu, within(0.001));
            assertThat(sink.gauge("child.rss")).isBetween(100_000.0, 50_000_000.0);
            assertThat(sink.gauge("child.threads")).isEqualTo(1);
            assertThat(sink.total("generator.cpu")).isPositive();
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    private static void thread(ProcTree proc, int tid, long run, long wait, int switches, int preemptions) {
        proc.write("40/task/" + tid + "/schedstat", run + " " + wait + " 8\n")
                .write("40/task/" + tid + "/status", String.format(Locale.ROOT, """
                        Name:	node
                        voluntary_ctxt_switches:	%d
                        nonvoluntary_ctxt_switches:	%d
                        """, switches, preemptions));
    }

    private ProcessProbe probe(ProcTree proc, Found... found) {
        ProcessProbe probe =
                new ProcessProbe(proc.files(), new ProcessFinder(proc.files(), List.of(), null), nanos::get);
        probe.track(List.of(found));
        return probe;
    }

    private static Found found(String name, int pid, long start) {
        return new Found(name, "program", new ProcessStat(pid, 1, "program", 0, 0, 1, start), new TreeSet<>());
    }
}
