package chat.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Sends requests through a proxy on 127.0.0.1 to {@link FakeChatServer}s. */
final class ThroughProxy {
    private ThroughProxy() {}

    /** Returns the name of the server that responds; the whole response if it has no name. */
    static String serverOf(int port, String path) throws IOException {
        return named(get(port, path));
    }

    /** Returns the whole response. */
    static String get(int port, String path) throws IOException {
        return ask(port, "GET", path);
    }

    static String ask(int port, String method, String path) throws IOException {
        try (Socket socket = open(port, method, path, "Connection: close")) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1)
                    .replace("x-server:", "X-Server:");
        }
    }

    /** Opens a connection that stays open and adds it to {@code held}; returns the name of its server. */
    static String hold(int port, String path, List<Socket> held) throws IOException {
        Socket socket = open(
                port,
                "GET",
                path,
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" + "Sec-WebSocket-Key: "
                        + FakeChatServer.KEY);
        held.add(socket);
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                break;
            }
            head.append((char) next);
        }
        assertThat(head.toString()).startsWith("HTTP/1.1 101 ");
        return named(head.toString());
    }

    private static String named(String answer) {
        return answer.lines()
                .filter(line -> line.startsWith("X-Server: ") || line.startsWith("x-server: "))
                .map(line -> line.substring("X-Server: ".length()))
                .findFirst()
                .orElse(answer);
    }

    private static Socket open(int port, String method, String path, String headers) throws IOException {
        Socket socket = new Socket();
        socket.connect(Ports.address(port), 1_000);
        socket.setSoTimeout(10_000);
        socket.getOutputStream()
                .write((method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n\r\n")
                        .getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }
}
