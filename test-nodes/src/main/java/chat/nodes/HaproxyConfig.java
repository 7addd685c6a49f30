package chat.nodes;

import java.util.List;

/**
 * Generates the configuration of HAProxy in front of the chat servers: one address for WebSockets, page and REST, with
 * every room routed to the server of its partition.
 *
 * @param bind address for clients, such as {@code :8080} or {@code 127.0.0.1:8080}
 * @param statsBind address of statistics and Prometheus metrics, without authentication, for operators only
 * @param adminSocket for commands such as {@code set server chat/server-1 state maint}; relative to HAProxy's directory
 * @param maxConnections maximum number of connections; 0: as many as the limit on open files allows
 * @param partitions number of partitions of the log, 1 to 64; the same as in the chat servers
 * @param servers addresses of the chat servers, {@code host:port}; they are named {@code server-1} and so on
 * @param consumers addresses of the consumers' REST, {@code host:port}; requests go to any that accepts connections
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

    /** Selects the server for a new WebSocket. */
    public enum Placement {
        /** The server of the room's partition, so that a room is on one server and a server reads few partitions. */
        PARTITION,
        /** The server with the fewest WebSockets. The load is even, but every server has every room and partition. */
        SPREAD
    }

    public HaproxyConfig {
        if (partitions < 1 || partitions > MAX_PARTITIONS) {
            throw new IllegalArgumentException("partitions must be 1 to " + MAX_PARTITIONS);
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("servers must not be empty");
        }
        if (maxConnections < 0) {
            throw new IllegalArgumentException("maxConnections must not be negative");
        }
        if (consumers.isEmpty()) {
            throw new IllegalArgumentException("consumers must not be empty");
        }
        servers = List.copyOf(servers);
        consumers = List.copyOf(consumers);
    }

    /** Creates a configuration with one consumer. */
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

    /** Returns the configuration file. */
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

    /** Checks consumers only by connecting, because a consumer that cannot write still serves reads. */
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
                # The slice's own server; while it is down, the standby, which already reads the slice's partition.
                use-server server-%[var(txn.slice),mod({n}),add(1)] if TRUE
                use-server server-%[var(txn.slice),add(1),add(txn.turn),mod({n}),add(1)] if TRUE
                # A connection that the slice's own server refuses also goes to the standby.
                balance hash var(txn.slice),mod({n}),add(txn.turn),add({refused})
                hash-type map-based sdbm
                # If several servers fail: retry until they are marked down.
                retries 10
            """;

    private static final String TEMPLATE = """
            # HAProxy 2.6 or later in front of {count}, for a log of {partitions}. docs/guide/operations.md, "HAProxy",
            # explains each line and how to change the numbers.

            global
                # Each connection needs two file descriptors: HAProxy does not start if it may not open 2 * maxconn files.
                # Without this line "ulimit -n" is the limit. HAProxy uses one thread per core unless nbthread is set.
                {maxconn}
                # nbthread 2
                # After a reload the old process keeps its connections for at most this time.
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
                # The only timeout of an upgraded WebSocket. Servers ping every 25 s.
                timeout tunnel 90s
                timeout client-fin 10s
                timeout server-fin 10s
                # If a server refuses a connection, try another server at once.
                retries 3
                retry-on conn-failure empty-response
                option redispatch 1

            frontend confab
                bind {bind}
                # bind :8443 ssl crt /etc/haproxy/confab.pem alpn http/1.1
                # Appends the client's address to the header: servers that trust this proxy read the header from its end.
                option forwardfor
                acl socket path_beg /chat/
                # crc32(roomId) mod slices; slices is the number of partitions, or of servers if there are more servers.
                http-request set-var(txn.slice) path,field(3,/),url_dec,crc32,mod({slices}) if socket
                # The index of the slice among its server's slices; each of these slices has a different standby.
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
                # Check every 30 s, every second after a failure, every 2 s while down; 3 refused connections mark it down.
                default-server check inter 30s fastinter 1s downinter 2s rise 2 fall 3
                default-server observe layer4 error-limit 3 on-error mark-down
            {servers}

            backend pages
                balance leastconn
            {tracked}

            backend consumer
                # Read-only: operators handle dead letters directly at the consumer.
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
