package chat.load.lab.matrix;

import chat.load.lab.child.ClientRun;
import chat.load.lab.child.CommandWords;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Prints a matrix without running it: every command, ready to paste into a shell. */
public final class PlanTable {
    private PlanTable() {}

    /** @param client how to start the load client */
    public static String of(MatrixPlan plan, List<String> client) {
        List<Run> runs = plan.runs();
        StringBuilder text = new StringBuilder(headline(plan)).append('\n');
        for (Run run : runs) {
            Path folder = run.folder(plan.out());
            text.append(String.format(
                    Locale.ROOT,
                    "%n[%d/%d] %s, repeat %d%n",
                    run.number(),
                    run.runs(),
                    run.cell().name(),
                    run.repeat()));
            Platform platform = run.cell().platform();
            if (platform != null) {
                text.append("  start  ");
                for (Map.Entry<String, String> variable : new TreeMap<>(platform.environment()).entrySet())
                    text.append(variable.getKey())
                            .append('=')
                            .append(CommandWords.join(List.of(variable.getValue())))
                            .append(' ');
                text.append(CommandWords.join(platform.commandIn(MatrixRun.data(folder))))
                        .append('\n');
            }
            run.cell()
                    .ready()
                    .forEach(url -> text.append("  await  ").append(url).append('\n'));
            text.append("  load   ")
                    .append(CommandWords.join(
                            ClientRun.command(client, run.cell().argumentsIn(MatrixRun.data(folder)), folder)))
                    .append('\n');
        }
        return text.toString();
    }

    public static String headline(MatrixPlan plan) {
        int cells = plan.cells().size();
        return String.format(
                Locale.ROOT,
                "%s: %d runs, %d %s x %d %s, %s%s; results in %s",
                plan.title(),
                cells * plan.repeats(),
                cells,
                cells == 1 ? "setting" : "settings",
                plan.repeats(),
                plan.repeats() == 1 ? "repeat" : "repeats",
                plan.shuffled() ? "shuffled by seed " + plan.seed() : "in turn",
                switch (plan.warmUps()) {
                    case 0 -> ", no warm-up";
                    case 1 -> ", one warm-up before";
                    default -> ", " + plan.warmUps() + " warm-ups before";
                },
                plan.out());
    }
}
