package chat.log;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A proxy to a local server. Connections are selected by a word in the first bytes that the client sends. */
final class TcpProxy implements AutoCloseable {
    /** Number of bytes in which the word is searched. */
    private static final int GREETING_BYTES = 4096;

    private final int target;
    private final ServerSocket socket;
    private final List<Connection> connections = new CopyOnWriteArrayList<>();

    TcpProxy(int target) throws IOException {
        this.target = target;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Aborts every connection whose client has sent this word. */
    void cut(String word) {
        connections.stream()
                .filter(connection -> connection.greeting.contains(word))
                .forEach(Connection::close);
    }

    /** Stops forwarding on the connections whose client has sent this word, like a frozen machine. */
    void freeze(String word) {
        connections.stream()
                .filter(connection -> connection.greeting.contains(word))
                .forEach(connection -> connection.frozen = true);
    }

    /** Whether a client that has sent this word has sent more bytes since it was frozen. */
    boolean holdsBack(String word) {
        return connections.stream().anyMatch(connection -> connection.holdsBack && connection.greeting.contains(word));
    }

    private void accept() {
        try {
            while (true) {
                Socket client = socket.accept();
                try {
                    Connection connection =
                            new Connection(client, new Socket(InetAddress.getLoopbackAddress(), target));
                    connections.add(connection);
                    connection.start();
                } catch (IOException nobodyThere) {
                    client.close();
                }
            }
        } catch (IOException closed) {
            connections.forEach(Connection::close);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        connections.forEach(Connection::close);
    }

    private final class Connection {
        private final Socket client;
        private final Socket server;
        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile String greeting = "";
        private volatile boolean frozen;
        private volatile boolean holdsBack;

        Connection(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        void start() {
            Thread.ofVirtual().start(() -> copy(client, server, true));
            Thread.ofVirtual().start(() -> copy(server, client, false));
        }

        private void copy(Socket from, Socket to, boolean listens) {
            byte[] buffer = new byte[16 * 1024];
            try (InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                int read;
                while ((read = in.read(buffer)) >= 0) {
                    if (listens && greeting.length() < GREETING_BYTES)
                        greeting = greeting.concat(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
                    if (frozen) {
                        if (listens) holdsBack = true;
                        closed.await();
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException | InterruptedException cut) {
                // The other direction ends too.
            }
            close();
        }

        void close() {
            connections.remove(this);
            closed.countDown();
            for (Socket end : List.of(client, server)) {
                try {
                    end.close();
                } catch (IOException gone) {
                    // Closed already.
                }
            }
        }
    }
}
