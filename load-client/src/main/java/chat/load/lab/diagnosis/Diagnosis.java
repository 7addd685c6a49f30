package chat.load.lab.diagnosis;

import static java.lang.String.format;
import static java.util.Locale.ROOT;

import chat.load.report.Finding;
import chat.load.report.Finding.Level;
import chat.load.report.Samples;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the resources that were used up and therefore limited a run. Each finding contains the numbers it is based on.
 * Most rules use medians, because a few seconds do not limit a run.
 */
public final class Diagnosis {
    /** Share of the time of all cores that JIT compilers may use before JVMs count as cold. */
    static final double COMPILERS = 0.15;

    private static final String DELIVERIES = "client.deliveries";
    private static final String ACCEPTED = "client.accepted";

    private final Stretch chat;
    private final Cpu cpu;
    private final double cores;
    private final Findings findings = new Findings();

    private Diagnosis(Samples samples, Span span, int cores) {
        this.chat = new Stretch(samples, span);
        this.cpu = new Cpu(chat);
        double sampled = chat.median("machine.cores");
        this.cores = Double.isNaN(sampled) ? cores : sampled;
    }

    /**
     * @param samples with the series of {@code chat.load.lab.sample}, and {@code client.deliveries} and
     *     {@code client.accepted} per second
     * @param chat the seconds in which messages were sent
     * @param cores of the machine, used if {@code samples} do not contain them
     * @return what was used up first, then what is worth knowing
     */
    public static List<Finding> of(Samples samples, Span chat, int cores) {
        return new Diagnosis(samples, chat, cores).findings();
    }

    private List<Finding> findings() {
        new MachineRules(chat, cpu, cores, findings).judge();
        new PlatformRules(chat, findings).judge();
        compilers();
        nothing();
        throughput();
        costs();
        return findings.sorted();
    }

    private void compilers() {
        double compilers = 0;
        for (String source : chat.sources("jit")) compilers += chat.mean(source + ".jit");
        if (compilers > COMPILERS * cores)
            findings.notice(
                    "warm-up",
                    format(
                            ROOT,
                            "The JVMs' compilers were at work for %.2f s in each second, on %.0f cores: they were not warm"
                                    + " yet",
                            compilers,
                            cores));
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
