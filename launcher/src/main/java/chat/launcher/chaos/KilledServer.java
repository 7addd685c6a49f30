package chat.launcher.chaos;

import chat.launcher.platform.BrokerLists;
import chat.launcher.platform.ChildProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Kills a chat server. Nothing of it may remain in the broker. */
final class KilledServer implements Fault {
    /** How long after the kill the broker may keep the server's connections. */
    private static final Duration LEFT_BEHIND = Duration.ofSeconds(10);

    private final Target target;
    private final ChildProgram server;
    private Set<String> connections = Set.of();
    private Set<String> queues = Set.of();
    private long before;
    private long killedNanos;

    KilledServer(Target target, ChildProgram server) {
        this.target = target;
        this.server = server;
    }

    @Override
    public void inject() {
        BrokerLists broker = target.lists();
        connections = broker.connectionsOf(server);
        queues = queues();
        before = server.pid();
        killedNanos = System.nanoTime();
        server.kill();
    }

    @Override
    public void heal() throws InterruptedException {
        server.awaitRestart(before);
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(killedNanos + LEFT_BEHIND.toNanos() - System.nanoTime());
        List<String> complaints = new ArrayList<>();
        if (connections.size() != 2)
            complaints.add(server.name() + " had " + connections.size() + " connections to RabbitMQ instead of 2");
        BrokerLists broker = target.lists();
        left(complaints, "connections", broker.list("list_connections", "pid"));
        left(complaints, "channels", broker.list("list_channels", "connection"));
        // Servers only use the shared streams: any additional queue belongs to the killed or the restarted server.
        Set<String> now = queues();
        if (!now.equals(queues)) complaints.add("RabbitMQ's queues were " + queues + ", now " + now);
        return complaints;
    }

    private void left(List<String> complaints, String what, Set<String> there) {
        there.retainAll(connections);
        if (!there.isEmpty())
            complaints.add(
                    "RabbitMQ still had " + what + " of " + server.name() + " after " + LEFT_BEHIND.toSeconds() + " s");
    }

    private Set<String> queues() {
        return target.lists().list("list_queues", "name");
    }
}
