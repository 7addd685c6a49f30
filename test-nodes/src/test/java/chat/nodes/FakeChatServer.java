package chat.nodes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Imitates a chat server behind a proxy, on 127.0.0.1: accepts upgrades and keeps the connections open; returns its
 * name and the requested path for other requests.
 */
final class FakeChatServer implements AutoCloseable {
    /** The key that clients must send, and its response, from the example in RFC 6455. HAProxy checks it. */
    static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

    private static final String ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";

    private final String name;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;
    private Listener listener;

    /** @param accepting the thread that accepts connections */
    private record Listener(ServerSocket socket, Thread accepting) {}

    FakeChatServer(String name) {
        this.name = name;
        this.port = Ports.free();
        this.listener = listen();
    }

    String address() {
        return "127.0.0.1:" + port;
    }

    /** Makes {@code /health} return 503. */
    FakeChatServer stopping() {
        stopping = true;
        return this;
    }

    /** Resets every connection and stops listening, as the system does for a killed process. */
    void kill() {
        close();
    }

    void startAgain() {
        listener = listen();
    }

    @Override
    public void close() {
        closeQuietly(listener.socket());
        // Until the thread has left accept(), the system still accepts connections, which would be served.
        awaitEnd(listener.accepting());
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
            } catch (IOException ignored) {
                // Already closed.
            }
            closeQuietly(socket);
        }
    }

    private Listener listen() {
        try {
            ServerSocket opened = new ServerSocket();
            opened.setReuseAddress(true);
            opened.bind(Ports.address(port), 1_000);
            // Not a virtual thread: close() of a socket on which one waits takes effect late.
            return new Listener(opened, Thread.ofPlatform().daemon().start(() -> accept(opened)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept(ServerSocket from) {
        try {
            while (true) {
                Socket socket = from.accept();
                sockets.add(socket);
                Thread.ofPlatform().daemon().start(() -> serve(socket));
            }
        } catch (IOException closed) {
            // Closed by the test.
        }
    }

    private void serve(Socket socket) {
        try {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            String request;
            while ((request = in.readLine()) != null) {
                boolean upgrade = false;
                for (String header = in.readLine(); header != null && !header.isEmpty(); header = in.readLine()) {
                    upgrade |= header.regionMatches(true, 0, "upgrade:", 0, "upgrade:".length());
                }
                String path = request.split(" ", -1)[1];
                socket.getOutputStream().write(answer(path, upgrade).getBytes(StandardCharsets.ISO_8859_1));
            }
        } catch (IOException gone) {
            // Closed by either side.
        } finally {
            sockets.remove(socket);
            closeQuietly(socket);
        }
    }

    private String answer(String path, boolean upgrade) {
        if (upgrade) {
            return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: " + ACCEPT + "\r\nX-Server: " + name + "\r\n\r\n";
        }
        String status = stopping && path.equals("/health") ? "503 Service Unavailable" : "200 OK";
        return "HTTP/1.1 " + status + "\r\nX-Server: " + name + "\r\nContent-Length: " + path.length() + "\r\n\r\n"
                + path;
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception ignored) {
            // No longer used.
        }
    }
}
