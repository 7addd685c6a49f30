package chat.load.lab.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Samples the resources used by all programs of this machine. Series after {@code machine}:
 *
 * <ul>
 *   <li>{@code cores}: how many there are; {@code busy}, {@code iowait}, {@code steal}: cores
 *   <li>{@code running}: threads that run or could; {@code blocked}: that wait for a disk; {@code load1}
 *   <li>{@code cpuPressure}, {@code ioPressure}, {@code memoryPressure}: share of the time in which some thread waited
 *   <li>{@code memoryAvailable}, {@code memoryTotal}: bytes; {@code swapOut}: bytes per second
 *   <li>{@code segments}, {@code retransmits}, {@code listenDrops}: of TCP, per second
 * </ul>
 *
 * and for each disk after {@code disk-NAME}: {@code busy}, the share of the time in which it had requests;
 * {@code queue}, the mean number of requests in progress; {@code await}, the mean duration of a request in
 * milliseconds; {@code readBytes} and {@code writeBytes} per second.
 */
final class MachineProbe implements Probe {
    private static final int SECTOR_BYTES = 512;
    /** Memory, files and optical drives that look like disks; device mapper and RAID, which are made of disks. */
    private static final List<String> NO_DISKS = List.of("loop", "ram", "zram", "sr", "fd", "dm-", "md");

    private final ProcFiles proc;
    private final Set<String> disks;
    private final ProcFiles.Units units;

    /** @param blockDevices such as {@code /sys/block} */
    MachineProbe(ProcFiles proc, Path blockDevices) {
        this.proc = proc;
        this.disks = disks(blockDevices);
        this.units = proc.units();
    }

    private static Set<String> disks(Path blockDevices) {
        Set<String> disks = new TreeSet<>();
        try (Stream<Path> devices = Files.list(blockDevices)) {
            devices.map(device -> device.getFileName().toString())
                    .filter(name -> NO_DISKS.stream().noneMatch(name::startsWith))
                    .forEach(disks::add);
        } catch (IOException | RuntimeException notThere) {
            // Then no disk is seen.
        }
        return disks;
    }

    @Override
    public String name() {
        return "machine";
    }

    @Override
    public void sample(Sink sink) throws IOException {
        cpu(proc.require("stat"), sink);
        String load = proc.read("loadavg");
        if (load != null) sink.gauge("machine.load1", Double.parseDouble(load.substring(0, load.indexOf(' '))));
        pressure("cpu", sink);
        pressure("io", sink);
        pressure("memory", sink);
        memory(sink);
        tcp(sink);
        disks(proc.read("diskstats"), sink);
    }

    private void cpu(String stat, Sink sink) {
        int cores = 0;
        for (String line : stat.split("\n", -1)) {
            if (line.startsWith("cpu ")) total(line.substring(4).strip().split(" ", -1), sink);
            else if (line.startsWith("cpu")) cores++;
            else if (line.startsWith("procs_running ")) sink.gauge("machine.running", value(line));
            else if (line.startsWith("procs_blocked ")) sink.gauge("machine.blocked", value(line));
        }
        sink.gauge("machine.cores", cores);
    }

    private void total(String[] fields, Sink sink) {
        // user nice system idle iowait irq softirq steal; guests are in user already.
        long[] ticks = new long[8];
        for (int i = 0; i < ticks.length && i < fields.length; i++) ticks[i] = Long.parseLong(fields[i]);
        long busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
        sink.counter("machine.busy", busy / units.ticksPerSecond());
        sink.counter("machine.iowait", ticks[4] / units.ticksPerSecond());
        sink.counter("machine.steal", ticks[7] / units.ticksPerSecond());
    }

    private static double value(String line) {
        return Long.parseLong(line.substring(line.indexOf(' ') + 1).strip());
    }

    /** Kernels may be built or started without it. */
    private void pressure(String resource, Sink sink) {
        String pressure = proc.read("pressure/" + resource);
        if (pressure != null && pressure.startsWith("some "))
            sink.counter("machine." + resource + "Pressure", ProcessProbe.number(pressure, "total=") / 1e6);
    }

    private void memory(Sink sink) {
        String memory = proc.read("meminfo");
        if (memory != null) {
            sink.gauge("machine.memoryTotal", 1024.0 * ProcessProbe.number(memory, "MemTotal:"));
            sink.gauge("machine.memoryAvailable", 1024.0 * ProcessProbe.number(memory, "\nMemAvailable:"));
        }
        String virtual = proc.read("vmstat");
        if (virtual != null)
            sink.counter("machine.swapOut", (double) units.pageBytes() * ProcessProbe.number(virtual, "\npswpout "));
    }

    private void tcp(Sink sink) {
        Map<String, Long> tcp = table(proc.read("net/snmp"), "Tcp:");
        count(sink, "machine.segments", tcp.get("OutSegs"));
        count(sink, "machine.retransmits", tcp.get("RetransSegs"));
        count(
                sink,
                "machine.listenDrops",
                table(proc.read("net/netstat"), "TcpExt:").get("ListenDrops"));
    }

    private static void count(Sink sink, String name, @Nullable Long total) {
        if (total != null) sink.counter(name, total);
    }

    /** A line of names and below it one of numbers, both with the same label. */
    static Map<String, Long> table(@Nullable String text, String label) {
        Map<String, Long> table = new HashMap<>();
        if (text == null) return table;
        String[] names = {};
        for (String line : text.split("\n", -1)) {
            if (!line.startsWith(label)) continue;
            String[] fields = line.substring(label.length()).strip().split(" ", -1);
            if (names.length == 0) {
                names = fields;
                continue;
            }
            for (int i = 0; i < Math.min(names.length, fields.length); i++)
                table.put(names[i], Long.valueOf(fields[i]));
            break;
        }
        return table;
    }

    private void disks(@Nullable String stats, Sink sink) {
        if (stats == null) return;
        for (String line : stats.split("\n", -1)) {
            // major minor name reads merged sectors ms writes merged sectors ms underWay busyMs weightedMs …
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length < 14 || !disks.contains(fields[2])) continue;
            String disk = "disk-" + fields[2];
            double requests = Long.parseLong(fields[3]) + (double) Long.parseLong(fields[7]);
            double requestMillis = Long.parseLong(fields[6]) + (double) Long.parseLong(fields[10]);
            sink.counter(disk + ".busy", Long.parseLong(fields[12]) / 1e3);
            sink.counter(disk + ".queue", Long.parseLong(fields[13]) / 1e3);
            sink.quotient(disk + ".await", 0, requestMillis, requests);
            sink.counter(disk + ".readBytes", (double) Long.parseLong(fields[5]) * SECTOR_BYTES);
            sink.counter(disk + ".writeBytes", (double) Long.parseLong(fields[9]) * SECTOR_BYTES);
        }
    }
}
