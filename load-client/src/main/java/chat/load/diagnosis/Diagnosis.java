package chat.load.diagnosis;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import chat.load.report.Finding;
import chat.load.report.Finding.Level;
import chat.load.report.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Names what held a run back, by resources that were used up and by nothing else. Each finding has the numbers it rests on.
 * Mostly medians decide: what happened in a few seconds only is not what held a run back.
 */
public final class Diagnosis {
    /** Of the CPU used: what compilers may take before JVMs count as cold. */
    static final double COMPILERS = 0.15;

    private static final String DELIVERIES = "client.deliveries";
    private static final String ACCEPTED = "client.accepted";

    private final Stretch chat;
    private final Cpu cpu;
    private final Findings findings = new Findings();

    private Diagnosis(Samples samples, Span span) {
        this.chat = new Stretch(samples, span);
        this.cpu = new Cpu(chat);
    }

    /**
     * @param samples by the names that {@code chat.load.sample} gives, and {@code client.deliveries} and {@code
     *     client.accepted} per second
     * @param chat the seconds in which messages were sent
     * @param cores of the machine, where {@code samples} don't tell
     * @return what was used up first, then what is worth knowing
     */
    public static List<Finding> of(Samples samples, Span chat, int cores) {
        Diagnosis diagnosis = new Diagnosis(samples, chat);
        double sampled = diagnosis.chat.median("machine.cores");
        new MachineRules(diagnosis.chat, diagnosis.cpu, Double.isNaN(sampled) ? cores : sampled, diagnosis.findings)
                .judge();
        new PlatformRules(diagnosis.chat, diagnosis.findings).judge();
        diagnosis.compilers();
        diagnosis.nothing();
        diagnosis.throughput();
        diagnosis.costs();
        return diagnosis.findings.sorted();
    }

    private void compilers() {
        double compilers = 0;
        for (String source : chat.sources("jit")) compilers += chat.mean(source + ".jit");
        double used = Double.isNaN(cpu.busy()) ? cpu.servers() + cpu.generator() : cpu.busy();
        if (compilers > COMPILERS * used)
            findings.notice(
                    "warm-up",
                    format(
                            ROOT,
                            "Compilers of the JVMs used %.2f of %.2f busy cores: they were not warm yet",
                            compilers,
                            used));
    }

    private void nothing() {
        if (!findings.nothingSaturated()) return;
        boolean blind = !cpu.knowsProcesses() && Double.isNaN(cpu.busy());
        findings.info(
                "bottleneck",
                blind
                        ? "None can be named: neither the machine nor servers could be sampled"
                        : "Nothing sampled was saturated: the bound is the latency of the closed loop (window × members /"
                                + " round trip), the rate that was asked for, or something not sampled");
    }

    private void throughput() {
        boolean delivers = chat.has(DELIVERIES);
        if (!delivers && !chat.has(ACCEPTED)) return;
        Shape shape = Shape.of(chat.values(delivers ? DELIVERIES : ACCEPTED));
        boolean asHoped = shape.kind() == Shape.Kind.PLATEAU || shape.kind() == Shape.Kind.TOO_SHORT;
        findings.add(
                asHoped ? Level.INFO : Level.NOTICE, "throughput", shape.words(delivers ? "deliveries" : "messages"));
    }

    private void costs() {
        double deliveries = chat.mean(DELIVERIES);
        if (!(deliveries > 0)) return;
        double micros = 1e6 / deliveries;
        List<String> parts = new ArrayList<>();
        if (cpu.knowsProcesses())
            parts.add(format(ROOT, "%.2f µs of the servers (%s)", micros * cpu.servers(), cpu.serverParts(micros)));
        if (cpu.knowsGenerator()) parts.add(format(ROOT, "%.2f µs of the generator", micros * cpu.generator()));
        double accepted = chat.mean(ACCEPTED);
        if (accepted > 0 && cpu.knowsProcesses())
            parts.add(format(ROOT, "and per message %.0f µs of the servers", 1e6 * cpu.servers() / accepted));
        if (!parts.isEmpty()) findings.info("CPU per delivery", String.join(", ", parts));
    }
}
