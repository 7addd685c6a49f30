package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** By files of a real machine, cut short. */
class MachineProbeTest {
    private final RecordedSink sink = new RecordedSink();

    @TempDir
    private Path directory;

    @Test
    void readsWhatTheKernelSays() throws IOException {
        ProcTree proc = new ProcTree(directory.resolve("proc"))
                .write("stat", """
                        cpu  1170356 21362 167639 1056889 5050 0 9362 1003 0 0
                        cpu0 586518 10864 82493 529822 855 0 4199 490 0 0
                        cpu1 583838 10498 85146 527067 4195 0 5162 513 0 0
                        intr 98 0 1
                        ctxt 127864168
                        procs_running 3
                        procs_blocked 1
                        """)
                .write("loadavg", "3.25 1.29 1.81 1/298 29651\n")
                .write("pressure/cpu", """
                        some avg10=57.27 avg60=31.02 avg300=13.85 total=5125152581
                        full avg10=0.00 avg60=0.00 avg300=0.00 total=0
                        """)
                .write("meminfo", "MemTotal:       24684084 kB\nMemFree: 1 kB\nMemAvailable:   22847216 kB\n")
                .write("vmstat", "nr_free_pages 1\npswpin 2\npswpout 3\n")
                .write("net/snmp", """
                        Ip: Forwarding DefaultTTL
                        Ip: 2 64
                        Tcp: RtoAlgorithm RtoMin OutSegs RetransSegs
                        Tcp: 1 200 30591348 100298
                        Udp: InDatagrams
                        Udp: 5
                        """)
                .write("net/netstat", "TcpExt: ListenOverflows ListenDrops\nTcpExt: 5 6\n")
                .write("diskstats", """
                           7       0 loop0 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9 9
                         254       0 vda 653300 55973 35162946 644111 744564 150327 64244712 489379 0 154256 1193903 16 1 3 2 2 3
                         254       1 vda1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
                        """);
        Files.createDirectories(directory.resolve("block/vda"));
        Files.createDirectories(directory.resolve("block/loop0"));

        new MachineProbe(proc.files(), directory.resolve("block")).sample(sink);

        assertThat(sink.gauges)
                .containsEntry("machine.cores", 2.0)
                .containsEntry("machine.running", 3.0)
                .containsEntry("machine.blocked", 1.0)
                .containsEntry("machine.load1", 3.25)
                .containsEntry("machine.memoryAvailable", 22847216.0 * 1024);
        assertThat(sink.totals)
                .containsEntry("machine.busy", (1170356 + 21362 + 167639 + 9362) / 100.0)
                .containsEntry("machine.iowait", 50.5)
                .containsEntry("machine.steal", 10.03)
                .containsEntry("machine.cpuPressure", 5125.152581)
                .containsEntry("machine.swapOut", 3.0 * 4096)
                .containsEntry("machine.segments", 30591348.0)
                .containsEntry("machine.retransmits", 100298.0)
                .containsEntry("machine.listenDrops", 6.0)
                .containsEntry("disk-vda.busy", 154.256)
                .containsEntry("disk-vda.queue", 1193.903)
                .containsEntry("disk-vda.await", 644111.0 + 489379)
                .containsEntry("disk-vda.await/", 653300.0 + 744564)
                .containsEntry("disk-vda.writeBytes", 64244712.0 * 512)
                .doesNotContainKeys("disk-loop0.busy", "disk-vda1.busy", "machine.ioPressure");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void thisMachineCanBeRead() throws IOException {
        new MachineProbe(ProcFiles.ofThisMachine(), Path.of("/sys/block")).sample(sink);
        assertThat(sink.total("machine.busy")).isPositive();
        assertThat(sink.gauge("machine.cores")).isPositive();
        assertThat(sink.gauge("machine.memoryAvailable")).isPositive();
    }
}
