package chat.nodes;

import java.util.List;

/**
 * What HAProxy in front of the chat servers is told: one address for sockets, page and REST, which sends every room to the
 * server of its partition.
 *
 * @param bind where clients connect, such as {@code :8080} or {@code 127.0.0.1:8080}
 * @param statsBind where statistics and Prometheus metrics are, for operators only: nobody is asked who he is
 * @param adminSocket for commands such as {@code set server chat/server-1 state maint}; relative to HAProxy's directory
 * @param maxConnections held at once; 0: as many as the limit of open files allows
 * @param partitions of the log, 1 to 64, as the chat servers have it
 * @param servers of the chat servers, {@code host:port}; the names are {@code server-1} and so on
 * @param consumers of the consumers' REST, {@code host:port}; of several any one that accepts connections is asked
 */
public record HaproxyConfig(
        String bind,
        String statsBind,
        String adminSocket,
        int maxConnections,
        int partitions,
        Placement placement,
        List<String> servers,
        List<String> consumers) {
    private static final int MAX_PARTITIONS = 64;

    /** Which server gets a new socket. */
    public enum Placement {
        /** The one of the room's partition, so that a room is on one server, and a server reads few partitions. */
        PARTITION,
        /** The one with the fewest sockets: even, but each room is on all servers, and each server reads all partitions. */
        SPREAD
    }

    public HaproxyConfig {
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException("partitions must be 1 to " + MAX_PARTITIONS);
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("a proxy needs a server");
        }
        if (maxConnections < 0) {
            throw new IllegalArgumentException("maxConnections must not be negative");
        }
        if (consumers.isEmpty()) {
            throw new IllegalArgumentException("a proxy needs a consumer");
        }
        servers = List.copyOf(servers);
        consumers = List.copyOf(consumers);
    }

    /** With one consumer. */
    public HaproxyConfig(
            String bind,
            String statsBind,
            String adminSocket,
            int maxConnections,
            int partitions,
            Placement placement,
            List<String> servers,
            String consumer) {
        this(bind, statsBind, adminSocket, maxConnections, partitions, placement, servers, List.of(consumer));
    }

    /** The configuration file. */
    String text() {
        PartitionPlacement dealt = new PartitionPlacement(partitions, servers.size());
        return TEMPLATE.replace("{count}", servers.size() == 1 ? "1 chat server" : servers.size() + " chat servers")
                .replace("{partitions}", partitions == 1 ? "1 partition" : partitions + " partitions")
                .replace("{maxconn}", maxConnections == 0 ? "# maxconn 40000" : "maxconn " + maxConnections)
                .replace("{adminSocket}", adminSocket)
                .replace("{bind}", bind)
                .replace("{slices}", Integer.toString(dealt.slices()))
                .replace("{placement}", placementText())
                .replace("{n}", Integer.toString(servers.size()))
                .replace("{others}", Integer.toString(dealt.others()))
                .replace("{refused}", Integer.toString(dealt.refusedKey()))
                .replace("{servers}", serverLines(""))
                .replace("{tracked}", serverLines(" track chat/"))
                .replace("{consumers}", consumerLines())
                .replace("{statsBind}", statsBind);
    }

    private String placementText() {
        return switch (placement) {
            case PARTITION -> BY_PARTITION.stripTrailing();
            case SPREAD -> "    balance leastconn";
        };
    }

    private String serverLines(String track) {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < servers.size(); i++) {
            String name = "server-" + (i + 1);
            lines.append(i == 0 ? "" : "\n")
                    .append("    server ")
                    .append(name)
                    .append(' ')
                    .append(servers.get(i))
                    .append(track.isEmpty() ? "" : track + name);
        }
        return lines.toString();
    }

    /** By connecting only: one that cannot write answers questions all the same. */
    private String consumerLines() {
        if (consumers.size() == 1) {
            return "    server consumer " + consumers.getFirst();
        }
        StringBuilder lines = new StringBuilder("    default-server check inter 2s fall 2 rise 1");
        for (int i = 0; i < consumers.size(); i++) {
            lines.append("\n    server consumer-").append(i + 1).append(' ').append(consumers.get(i));
        }
        return lines.toString();
    }

    private static final String BY_PARTITION = """
                # A slice's own server; while that is down the one that stands by, which reads the slice's partition already.
                use-server server-%[var(txn.slice),mod({n}),add(1)] if TRUE
                use-server server-%[var(txn.slice),add(1),add(txn.turn),mod({n}),add(1)] if TRUE
                # A connection that the own one refuses goes to that one, too.
                balance hash var(txn.slice),mod({n}),add(txn.turn),add({refused})
                hash-type map-based sdbm
                # Should several be gone: until they are marked down.
                retries 10
            """;

    private static final String TEMPLATE = """
            # HAProxy 2.6 or later in front of {count}, for a log of {partitions}. What is behind each line, and what to
            # change for other numbers: docs/guide/operations.md, "HAProxy".

            global
                # Each socket takes two file descriptors, 2 * maxconn in all: HAProxy ends at once if it may not open as many.
                # Without the line it takes what "ulimit -n" allows. Threads: one per core, unless nbthread says otherwise.
                {maxconn}
                # nbthread 2
                # After a reload the old process keeps the sockets it has, for so long.
                hard-stop-after 1h
                # user haproxy
                # group haproxy
                stats socket unix@{adminSocket} mode 600 level admin
                log stderr format timed local0 notice

            defaults
                mode http
                log global
                option dontlognull
                timeout connect 5s
                timeout client 30s
                timeout server 30s
                timeout http-request 10s
                timeout http-keep-alive 10s
                # Once upgraded, a socket has this one alone. Servers ping every 25 s.
                timeout tunnel 90s
                timeout client-fin 10s
                timeout server-fin 10s
                # A connection that a server refuses goes to another one at once.
                retries 3
                retry-on conn-failure empty-response
                option redispatch 1

            frontend confab
                bind {bind}
                # bind :8443 ssl crt /etc/haproxy/confab.pem alpn http/1.1
                # Says who the client is, behind whatever the client says itself: servers that trust this proxy read the end.
                option forwardfor
                acl socket path_beg /chat/
                # crc32(roomId) mod slices: the partitions, or the servers if these are more.
                http-request set-var(txn.slice) path,field(3,/),url_dec,crc32,mod({slices}) if socket
                # Which of its server's slices it is, by turns: each of them has another server that stands by.
                http-request set-var(txn.turn) var(txn.slice),div({n}),mod({others}) if socket
                use_backend chat if socket
                use_backend consumer if { path_beg /api/ /api-docs /dashboard } || { path /openapi.json /health/consumer }
                default_backend pages

            backend chat
            {placement}
                timeout server 10s
                option httpchk GET /health
                http-check expect status 200
                timeout check 5s
                # Unasked every 30 s, each second while in doubt, every 2 s while down; three refused connections are enough.
                default-server check inter 30s fastinter 1s downinter 2s rise 2 fall 3
                default-server observe layer4 error-limit 3 on-error mark-down
            {servers}

            backend pages
                balance leastconn
            {tracked}

            backend consumer
                # Only asking: dead letters are dealt with at the consumer itself.
                http-request deny deny_status 403 unless METH_GET || METH_OPTIONS
                http-request set-path /health if { path /health/consumer }
            {consumers}

            frontend stats
                bind {statsBind}
                http-request use-service prometheus-exporter if { path /metrics }
                stats enable
                stats uri /
                stats refresh 10s
            """;
}
