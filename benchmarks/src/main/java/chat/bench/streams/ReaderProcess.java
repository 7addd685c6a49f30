package chat.bench.streams;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Runs the reading process, which is separate from the writing one so that its CPU time can be measured. Reads commands
 * line by line and responds to each with a line:
 *
 * <ul>
 *   <li>{@code open WAY READERS}: reads with this number of connections of that way, instead of the previous ones
 *   <li>{@code window FROM TO}: starts to count entries intended for that time, in nanoseconds
 *   <li>{@code tell}: returns the number of entries so far, p50 and p99 in microseconds
 * </ul>
 */
final class ReaderProcess {
    private final String uri;
    private final int streamPort;
    private final List<StreamReader> readers = new ArrayList<>();

    private ReaderProcess(String uri, int streamPort) {
        this.uri = uri;
        this.streamPort = streamPort;
    }

    public static void main(String[] arguments) throws IOException {
        ReaderProcess process = new ReaderProcess(arguments[0], Integer.parseInt(arguments[1]));
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String command;
        while ((command = commands.readLine()) != null) System.out.println(process.obey(command.split(" ", -1)));
        System.exit(0);
    }

    private String obey(String[] words) {
        return switch (words[0]) {
            case "open" -> open(Way.parse(words[1]), Integer.parseInt(words[2]));
            case "window" -> window(Long.parseLong(words[1]), Long.parseLong(words[2]));
            case "tell" -> tell();
            default -> throw new IllegalArgumentException("unknown command: " + words[0]);
        };
    }

    private String open(Way way, int count) {
        readers.forEach(StreamReader::close);
        readers.clear();
        for (int i = 0; i < count; i++) {
            readers.add(
                    switch (way) {
                        case Way.Amqp amqp -> new AmqpReader(Streams.settings(uri, amqp.credit()), i);
                        case Way.StreamProtocol stream ->
                            new StreamProtocolReader(URI.create(uri), streamPort, stream, Streams.names());
                    });
        }
        return "open";
    }

    private String window(long from, long to) {
        for (StreamReader reader : readers) for (Window window : reader.windows()) window.begin(from, to);
        return "waiting";
    }

    private String tell() {
        Histogram all = new Histogram(3);
        for (StreamReader reader : readers) for (Window window : reader.windows()) window.addTo(all);
        return all.getTotalCount() + " " + all.getValueAtPercentile(50) + " " + all.getValueAtPercentile(99);
    }
}
