package chat.load.lab.diagnosis;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import chat.load.report.Finding.Level;

/** Rules about exhausted machine resources: cores, a core for one thread, disks, memory, the network. */
final class MachineRules {
    /** A resource used to this share counts as used up: in practice, the rest is not available. */
    static final double FULL = 0.95;

    /** Of all cores. */
    static final double STEAL = 0.05;
    /** Share of all cores that programs outside the run may use. */
    static final double OTHERS = 0.10;
    /** Share of the segments sent; below it, segments were only late. */
    static final double RETRANSMITS = 0.01;

    static final double MEMORY_LEFT = 0.05;
    private static final double MEGABYTE = 1 << 20;

    private final Stretch chat;
    private final Cpu cpu;
    private final double cores;
    private final Findings findings;

    MachineRules(Stretch chat, Cpu cpu, double cores, Findings findings) {
        this.chat = chat;
        this.cpu = cpu;
        this.cores = cores;
        this.findings = findings;
    }

    void judge() {
        cores();
        steal();
        threads();
        disks();
        memory();
        network();
    }

    private void cores() {
        if (Double.isNaN(cpu.busy())) return;
        double used = chat.median("machine.busy") + chat.median("machine.steal");
        findings.add(
                used >= FULL * cores ? Level.SATURATED : Level.INFO,
                "CPU",
                format(ROOT, "%.2f of %.0f cores were busy: %s", cpu.busy(), cores, cpu.parts()));
        if (cpu.knowsProcesses() && cpu.others() > OTHERS * cores)
            findings.notice(
                    "CPU",
                    format(
                            ROOT,
                            "Other programs of this machine used %.2f of its %.0f cores: figures are not of this run alone",
                            cpu.others(),
                            cores));
    }

    private void steal() {
        double steal = chat.median("machine.steal");
        if (steal > STEAL * cores)
            findings.saturated(
                    "CPU of the host",
                    format(
                            ROOT,
                            "The hypervisor kept back %.2f of %.0f cores (steal): other machines on this host wanted them",
                            steal,
                            cores));
    }

    private void threads() {
        for (String source : chat.sources("cpu")) {
            String name = source + ".busiestThread";
            double busiest = chat.median(name);
            // Node.js runs programs in one thread: this holds even if the kernel does not count threads separately.
            if (!chat.has(name) && source.startsWith("node-")) busiest = chat.median(source + ".cpu");
            if (busiest >= FULL)
                findings.saturated(
                        source,
                        format(
                                ROOT,
                                "One thread of %s used %.2f of a core, and can't use more, however many cores there are",
                                source,
                                busiest));
        }
    }

    private void disks() {
        for (String disk : chat.sources("busy")) {
            double busy = chat.median(disk + ".busy");
            if (disk.startsWith("disk-") && busy >= FULL)
                findings.saturated(
                        disk,
                        format(
                                ROOT,
                                "It was busy %.0f %% of the time, with %.1f requests under way that took %.1f ms each",
                                100 * busy,
                                chat.meanOrNone(disk + ".queue"),
                                chat.meanOrNone(disk + ".await")));
        }
    }

    private void memory() {
        double swapped = chat.median("machine.swapOut");
        if (swapped > 0)
            findings.saturated("memory", format(ROOT, "The machine swapped out %.1f MB/s", swapped / MEGABYTE));
        double left = chat.min("machine.memoryAvailable") / chat.max("machine.memoryTotal");
        if (left < MEMORY_LEFT)
            findings.notice("memory", format(ROOT, "Only %.1f %% of the machine's memory was left", 100 * left));
    }

    private void network() {
        double retransmits = chat.mean("machine.retransmits");
        double share = retransmits / chat.mean("machine.segments");
        if (share > RETRANSMITS && retransmits >= 1)
            findings.notice(
                    "network",
                    format(ROOT, "TCP sent %.2f %% of its segments again (%.0f/s)", 100 * share, retransmits));
        double dropped = chat.total("machine.listenDrops");
        if (dropped >= 1)
            findings.notice(
                    "network",
                    format(
                            ROOT,
                            "%.0f connection attempts were dropped, as a server did not accept them in time",
                            dropped));
    }
}
