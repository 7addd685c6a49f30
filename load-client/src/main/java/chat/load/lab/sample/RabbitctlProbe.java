package chat.load.lab.sample;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Samples RabbitMQ by {@code rabbitmqctl}. Each call starts an Erlang machine, which takes about half a second of CPU
 * from the run; therefore the probe is optional and makes one of three calls every 15 s. Series after
 * {@code rabbitmq}: {@code messages} (of a stream all that it keeps, which is no backlog), {@code unconfirmed},
 * {@code unacknowledged}, {@code queues}, {@code channels}, {@code connections}, {@code memory}, {@code diskFree},
 * {@code alarms}.
 */
final class RabbitctlProbe implements Probe {
    private static final String NAME = ProcessFinder.RABBITMQ;
    private static final int EVERY_SECONDS = 15;
    private static final int MOST_BYTES = 4 << 20;
    private static final List<List<String>> QUESTIONS = List.of(
            List.of("list_queues", "name", "messages"),
            List.of("list_channels", "messages_unconfirmed", "messages_unacknowledged"),
            List.of("status"));

    private final Path rabbitmqctl;
    private int asked;

    RabbitctlProbe(Path rabbitmqctl) {
        this.rabbitmqctl = rabbitmqctl;
    }

    @Override
    public String name() {
        return rabbitmqctl.toString();
    }

    @Override
    public int everySeconds() {
        return EVERY_SECONDS;
    }

    @Override
    public void sample(Sink sink) throws IOException, InterruptedException {
        List<String> question = QUESTIONS.get(asked++ % QUESTIONS.size());
        long begin = System.nanoTime();
        JsonNode answer = ask(question);
        if (asked == 1)
            sink.note(String.format(
                    Locale.ROOT,
                    "%s is asked every %d s; the first answer took %.1f s, most of it CPU of this machine",
                    name(),
                    EVERY_SECONDS,
                    (System.nanoTime() - begin) / 1e9));
        switch (question.getFirst()) {
            case "list_queues" -> {
                sink.gauge(NAME + ".messages", sum(answer, "messages"));
                sink.gauge(NAME + ".queues", answer.size());
            }
            case "list_channels" -> {
                sink.gauge(NAME + ".channels", answer.size());
                sink.gauge(NAME + ".unconfirmed", sum(answer, "messages_unconfirmed"));
                sink.gauge(NAME + ".unacknowledged", sum(answer, "messages_unacknowledged"));
            }
            default -> status(answer, sink);
        }
    }

    private static double sum(JsonNode rows, String field) {
        double sum = 0;
        for (JsonNode row : rows) sum += row.path(field).asDouble(0);
        return sum;
    }

    private static void status(JsonNode status, Sink sink) {
        sink.gauge(
                NAME + ".memory",
                status.path("memory").path("total").path("rss").asDouble(Double.NaN));
        sink.gauge(NAME + ".diskFree", status.path("disk_free").asDouble(Double.NaN));
        sink.gauge(
                NAME + ".connections",
                status.path("totals").path("connection_count").asDouble(Double.NaN));
        sink.gauge(NAME + ".alarms", status.path("alarms").size());
    }

    private JsonNode ask(List<String> question) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(rabbitmqctl.toString(), "--quiet", "--formatter", "json");
        builder.command().addAll(question);
        Process process = builder.redirectErrorStream(true).start();
        try (InputStream output = process.getInputStream()) {
            byte[] answer = output.readNBytes(MOST_BYTES);
            // Its output has ended: so does it.
            if (!process.waitFor(1, TimeUnit.SECONDS)) throw new IOException("does not end");
            if (process.exitValue() != 0) throw new IOException(firstLine(answer));
            return JsonMapper.shared().readTree(answer);
        } catch (JacksonException unreadable) {
            throw new IOException("its answer is not JSON", unreadable);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private static String firstLine(byte[] answer) {
        return new String(answer, StandardCharsets.UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse("fails without a word");
    }
}
