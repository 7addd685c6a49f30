package chat.launcher;

import chat.nodes.RabbitNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What a broker tells of itself. Each question takes a second or two, more where the processors are busy. */
record BrokerLists(RabbitNode broker) {
    /**
     * A line for each thing that is there, its columns apart by tabs.
     *
     * @param what of {@code rabbitmqctl}, such as {@code list_queues}
     */
    Set<String> list(String what, String... columns) {
        List<String> words = new ArrayList<>(List.of(what, "--no-table-headers"));
        words.addAll(List.of(columns));
        return broker.ctl(words.toArray(String[]::new)).lines().collect(Collectors.toSet());
    }

    /** The processes of its connections at the broker, which no later connection has again. */
    Set<String> connectionsOf(ChildProgram server) {
        return list("list_connections", "pid", "client_properties").stream()
                .filter(line -> line.contains('"' + server.name() + " reads\"")
                        || line.contains('"' + server.name() + " publishes\""))
                .map(line -> line.substring(0, line.indexOf('\t')))
                .collect(Collectors.toSet());
    }
}
