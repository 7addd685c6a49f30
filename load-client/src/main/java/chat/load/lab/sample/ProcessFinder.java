package chat.load.lab.sample;

import chat.load.lab.sample.Sockets.Socket;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the processes that serve a run without knowing their pids: those that listen on the given ports, and those to
 * which these are connected, such as broker and database.
 */
final class ProcessFinder {
    static final String CONSUMER = "consumer";
    static final String RABBITMQ = "rabbitmq";
    static final String POSTGRESQL = "postgresql";

    private static final String SOCKET = "socket:[";

    private final ProcFiles proc;
    /** Ports of chat servers. */
    private final List<Integer> servers;

    private final @Nullable Integer consumer;

    /**
     * @param servers ports on this machine
     * @param consumer port on this machine; null if there is none
     */
    ProcessFinder(ProcFiles proc, List<Integer> servers, @Nullable Integer consumer) {
        this.proc = proc;
        this.servers = servers;
        this.consumer = consumer;
    }

    /**
     * A process that carries the run.
     *
     * @param name begins its series: {@code chat-8081}, {@code consumer}, {@code rabbitmq}, {@code postgresql}, or for
     *     others the program and a port of theirs
     * @param program its executable's name
     * @param ports on which it listens
     */
    record Found(String name, String program, ProcessStat stat, SortedSet<Integer> ports) {
        boolean isJava() {
            return program.equals("java");
        }
    }

    /** In the order in which they were met. Takes some milliseconds, more where there are many open files. */
    List<Found> find() {
        return new Search().run();
    }

    private final class Search {
        private final Sockets sockets = Sockets.read(proc);
        private final Map<Integer, ProcessStat> processes = new ProcessStat.Reader(proc).all();
        private final Map<Integer, Integer> pidByPort = new HashMap<>();
        private final Map<Integer, SortedSet<Integer>> portsByPid = new HashMap<>();
        private final Map<String, Found> found = new LinkedHashMap<>();
        private final Set<Integer> named = new HashSet<>();

        List<Found> run() {
            findListeners();
            Deque<Integer> unfollowed = new ArrayDeque<>();
            for (int port : servers) meet(pidByPort.get(port), port, unfollowed);
            if (consumer != null) meet(pidByPort.get(consumer), consumer, unfollowed);
            while (!unfollowed.isEmpty()) {
                int pid = unfollowed.remove();
                for (int port : connectedTo(pid)) meet(pidByPort.get(port), port, unfollowed);
            }
            return List.copyOf(found.values());
        }

        private void findListeners() {
            Map<Long, Integer> portByInode = new HashMap<>();
            for (Socket socket : sockets.listening()) portByInode.put(socket.inode(), socket.port());
            int self = (int) ProcessHandle.current().pid();
            for (int pid : processes.keySet()) {
                // The generator listens nowhere, and may hold very many sockets.
                if (pid == self) continue;
                for (long inode : inodes(pid)) {
                    Integer port = portByInode.get(inode);
                    if (port == null) continue;
                    portsByPid.computeIfAbsent(pid, added -> new TreeSet<>()).add(port);
                    // Of a parent and the children that share its socket it is the parent's, whose series they are in.
                    pidByPort.merge(port, pid, (one, other) -> isAncestor(one, other) ? one : other);
                }
            }
        }

        private boolean isAncestor(int older, int younger) {
            ProcessStat process = processes.get(younger);
            for (int depth = 0; process != null && depth < processes.size(); depth++) {
                if (process.parent() == older) return true;
                process = processes.get(process.parent());
            }
            return false;
        }

        private void meet(@Nullable Integer pid, int port, Deque<Integer> unfollowed) {
            ProcessStat process = pid == null ? null : processes.get(pid);
            if (process == null || !named.add(process.pid())) return;
            String program = program(process);
            String name = name(program, port);
            found.put(name, new Found(name, program, process, portsByPid.getOrDefault(process.pid(), new TreeSet<>())));
            if (!isBackend(name)) unfollowed.add(process.pid());
        }

        /** A process may call itself anything, and Node.js does. */
        private String program(ProcessStat process) {
            String executable = readLink(proc.path(process.pid() + "/exe"));
            return executable.isEmpty()
                    ? process.command()
                    : executable.substring(executable.lastIndexOf('/') + 1).replace(" (deleted)", "");
        }

        private String name(String program, int port) {
            if (!servers.contains(port)) {
                if (consumer != null && port == consumer) return CONSUMER;
                if (program.equals("beam.smp") && !found.containsKey(RABBITMQ)) return RABBITMQ;
                if (program.equals("postgres") && !found.containsKey(POSTGRESQL)) return POSTGRESQL;
            }
            // Behind a load balancer, too.
            if (program.equals("java")) return "chat-" + port;
            return program.replaceAll("[^A-Za-z0-9_-]", "_") + "-" + port;
        }

        /** Where the way ends: a broker's own connections lead to its clients and tools. */
        private static boolean isBackend(String name) {
            return name.equals(RABBITMQ) || name.equals(POSTGRESQL);
        }

        private Collection<Integer> connectedTo(int pid) {
            Set<Long> own = inodes(pid);
            Set<Integer> ports = new TreeSet<>();
            for (Socket socket : sockets.local())
                if (own.contains(socket.inode()) && pidByPort.containsKey(socket.remotePort()))
                    ports.add(socket.remotePort());
            return ports;
        }

        /** Of a process's sockets; empty where this user may not see them. */
        private Set<Long> inodes(int pid) {
            Set<Long> inodes = new HashSet<>();
            try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(proc.path(pid + "/fd"))) {
                for (Path descriptor : descriptors) {
                    String target = readLink(descriptor);
                    if (target.startsWith(SOCKET))
                        inodes.add(Long.parseLong(target.substring(SOCKET.length(), target.length() - 1)));
                }
            } catch (IOException | RuntimeException notThere) {
                // It has ended, or belongs to another user.
            }
            return inodes;
        }

        private static String readLink(Path descriptor) {
            try {
                return Files.readSymbolicLink(descriptor).toString();
            } catch (IOException closedMeanwhile) {
                return "";
            }
        }
    }
}
