package chat.load.lab.sample;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The TCP sockets of this machine, as {@code /proc/net/tcp} and {@code tcp6} show them.
 *
 * @param listening those that wait for connections
 * @param local connections whose both ends are on this machine, each end for itself
 */
record Sockets(List<Socket> listening, List<Socket> local) {
    private static final String ESTABLISHED = "01";
    private static final String LISTEN = "0A";
    /** Begins an IPv4 address written as an IPv6 one. */
    private static final String MAPPED = "0000000000000000FFFF0000";

    /** @param inode by which a process's file descriptor names it */
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
        // Those that no process holds any more have no inode.
        if (socket.inode == 0) return;
        if (fields[3].equals(LISTEN)) listening.add(socket);
        else if (fields[3].equals(ESTABLISHED))
            connections.add(new Connection(unmapped(fields[1]), unmapped(fields[2]), socket));
    }

    /** One end may call an address IPv4 that the other one calls IPv6. */
    private static String unmapped(String address) {
        return address.startsWith(MAPPED) ? address.substring(MAPPED.length()) : address;
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
    }
}
