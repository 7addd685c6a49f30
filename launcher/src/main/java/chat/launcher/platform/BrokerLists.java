package chat.launcher.platform;

import chat.nodes.RabbitNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs {@code rabbitmqctl list_*} on a broker. Each call takes one to two seconds, more on a busy machine. */
public record BrokerLists(RabbitNode broker) {
    /**
     * Returns one line per listed object, with columns separated by tabs.
     *
     * @param what command of {@code rabbitmqctl}, such as {@code list_queues}
     */
    public Set<String> list(String what, String... columns) {
        List<String> words = new ArrayList<>(List.of(what, "--no-table-headers"));
        words.addAll(List.of(columns));
        return broker.ctl(words.toArray(String[]::new)).lines().collect(Collectors.toSet());
    }

    /** Returns the broker's process ids of the server's connections. The broker does not reuse them. */
    public Set<String> connectionsOf(ChildProgram server) {
        return list("list_connections", "pid", "client_properties").stream()
                .filter(line -> line.contains('"' + server.name() + " reads\"")
                        || line.contains('"' + server.name() + " publishes\""))
                .map(line -> line.substring(0, line.indexOf('\t')))
                .collect(Collectors.toSet());
    }
}
