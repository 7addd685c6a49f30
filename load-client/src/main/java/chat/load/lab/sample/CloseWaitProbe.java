package chat.load.lab.sample;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts connections that the client has closed and the server has not, at each of the servers' ports:
 * {@code chat-PORT.closeWait}, every 5 s because thousands of connections make long tables.
 */
final class CloseWaitProbe implements Probe {
    private static final int EVERY_SECONDS = 5;
    private static final String CLOSE_WAIT = "08";

    private final ProcFiles proc;
    /** Ports by the end of their addresses. */
    private final Map<String, Integer> ports = new TreeMap<>();

    CloseWaitProbe(ProcFiles proc, Collection<Integer> ports) {
        this.proc = proc;
        for (int port : ports) this.ports.put(String.format(Locale.ROOT, "%04X", port), port);
    }

    @Override
    public String name() {
        return "sockets";
    }

    @Override
    public int everySeconds() {
        return EVERY_SECONDS;
    }

    @Override
    public void sample(Sink sink) {
        String four = proc.read("net/tcp");
        if (four == null) return;
        Map<Integer, Integer> counts = new LinkedHashMap<>();
        for (int port : ports.values()) counts.put(port, 0);
        count(four, counts);
        String six = proc.read("net/tcp6");
        if (six != null) count(six, counts);
        counts.forEach((port, count) -> sink.gauge("chat-" + port + ".closeWait", count));
    }

    private void count(String table, Map<Integer, Integer> counts) {
        table.lines().skip(1).forEach(line -> {
            // sl local_address rem_address st …
            String[] fields = line.strip().split("\\s+", 5);
            if (fields.length < 5 || !fields[3].equals(CLOSE_WAIT)) return;
            Integer port = ports.get(fields[1].substring(fields[1].indexOf(':') + 1));
            if (port != null) counts.merge(port, 1, Integer::sum);
        });
    }
}
