package chat.bench.targets;

import chat.bench.result.Medians;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Formats rows of the Markdown table.
 *
 * @param target the limit; empty if there is none
 * @param unit empty if there is none
 * @param decimals decimal places of each run's value
 */
record TargetRow(String name, String target, String unit, int decimals) {
    static final List<String> HEADER = List.of("| | target | median | every run |", "|---|---|---|---|");

    /** Returns the row: the median, then the values in the order of the runs. */
    String of(List<Double> values) {
        List<String> texts = values.stream().map(this::text).toList();
        // The median of the printed values, so that readers can verify it.
        double median = Medians.of(texts.stream().map(TargetRow::number).toList());
        String after = unit.isEmpty() ? "" : " " + unit;
        return "| " + name + " | " + (target.isEmpty() ? "" : target + after) + " | **" + Medians.text(median) + "**"
                + after + " | " + String.join(", ", texts) + " |";
    }

    private String text(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%." + decimals + "f", value) : "?";
    }

    private static double number(String text) {
        return text.equals("?") ? Double.NaN : Double.parseDouble(text);
    }

    /** Returns the row of the cores that each kind of process used: the medians of all runs. */
    static String ofCores(List<Cores> runs) {
        List<List<Double>> columns = List.of(
                runs.stream().map(Cores::chat).toList(),
                runs.stream().map(Cores::rabbitmq).toList(),
                runs.stream().map(Cores::generator).toList());
        return "| cores: chat server, RabbitMQ, generator | | "
                + columns.stream()
                        .map(column -> Medians.text(round(Medians.of(column))))
                        .collect(Collectors.joining(", "))
                + " | |";
    }

    private static double round(double cores) {
        return Math.round(cores * 1_000) / 1_000.0;
    }
}
