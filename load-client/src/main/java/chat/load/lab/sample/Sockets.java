package chat.load.lab.sample;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Holds the TCP sockets of this machine, as {@code /proc/net/tcp} and {@code tcp6} show them.
 *
 * @param listening sockets that accept connections
 * @param local sockets of connections with both ends on this machine, one for each end
 */
record Sockets(List<Socket> listening, List<Socket> local) {
    private static final String ESTABLISHED = "01";
    private static final String LISTEN = "0A";
    /** Prefix of an IPv4 address written as IPv6. */
    private static final String MAPPED = "0000000000000000FFFF0000";

    /** @param inode identifies it in a process's file descriptors */
    record Socket(int port, int remotePort, long inode) {}

    private record Connection(String here, String there, Socket socket) {}

    static Sockets read(ProcFiles proc) {
        List<Socket> listening = new ArrayList<>();
        List<Connection> connections = new ArrayList<>();
        for (String name : List.of("net/tcp", "net/tcp6")) {
            String table = proc.read(name);
            if (table != null) table.lines().skip(1).forEach(line -> add(line, listening, connections));
        }
        Set<String> ends = new HashSet<>();
        for (Connection connection : connections) ends.add(connection.here + '-' + connection.there);
        List<Socket> local = connections.stream()
                .filter(connection -> ends.contains(connection.there + '-' + connection.here))
                .map(Connection::socket)
                .toList();
        return new Sockets(listening, local);
    }

    private static void add(String line, List<Socket> listening, List<Connection> connections) {
        // sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode …
        String[] fields = line.strip().split("\\s+", -1);
        if (fields.length < 10) return;
        Socket socket = new Socket(port(fields[1]), port(fields[2]), Long.parseLong(fields[9]));
        // Sockets that no process holds have no inode.
        if (socket.inode == 0) return;
        if (fields[3].equals(LISTEN)) listening.add(socket);
        else if (fields[3].equals(ESTABLISHED))
            connections.add(new Connection(unmapped(fields[1]), unmapped(fields[2]), socket));
    }

    /** One end may list an address as IPv4 and the other end as IPv6. */
    private static String unmapped(String address) {
        return address.startsWith(MAPPED) ? address.substring(MAPPED.length()) : address;
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }
}
