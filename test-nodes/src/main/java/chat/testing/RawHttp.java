package chat.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Sends raw requests over one connection to a server on this machine, and reads responses according to their framing.
 */
public final class RawHttp implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 20_000;

    private final Socket socket;
    private final InputStream in;
    private final int port;

    public RawHttp(int port) throws IOException {
        this.port = port;
        this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /**
     * Represents a response.
     *
     * @param headers headers by their names in lower case; several values of one name are joined by commas
     */
    public record Answer(int status, Map<String, String> headers, byte[] body) {
        public String header(String name) {
            return headers.getOrDefault(name, "");
        }

        /** Returns the elements of a list header, sorted. */
        public List<String> list(String name) {
            return Stream.of(header(name).split(","))
                    .map(String::strip)
                    .filter(element -> !element.isEmpty())
                    .sorted()
                    .toList();
        }

        @Override
        public String toString() {
            return status
                    + headers.entrySet().stream()
                            .map(header -> "\n" + header.getKey() + ": " + header.getValue())
                            .collect(Collectors.joining())
                    + "\n\n" + new String(body, ISO_8859_1);
        }
    }

    /** @param headers lines {@code Name: value}; a Host header for this server is added if there is none */
    public Answer ask(String method, String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
        if (Stream.of(headers).noneMatch(header -> header.startsWith("Host:")))
            request.append("Host: 127.0.0.1:").append(port).append("\r\n");
        for (String header : headers) request.append(header).append("\r\n");
        send(request.append("\r\n").toString());
        return read(!method.equals("HEAD"));
    }

    public void send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    }

    /** @param hasBody whether this kind of response may have a body */
    public Answer read(boolean hasBody) throws IOException {
        String[] first = line().split(" ", 3);
        if (!first[0].equals("HTTP/1.1")) throw new IOException("not a response: " + String.join(" ", first));
        int status = Integer.parseInt(first[1]);
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(); !line.isEmpty(); line = line()) {
            String[] parts = line.split(":", 2);
            headers.merge(parts[0].toLowerCase(Locale.ROOT), parts[1].strip(), (a, b) -> a + ", " + b);
        }
        boolean none = !hasBody || status < 200 || status == 204 || status == 304;
        return new Answer(status, headers, none ? new byte[0] : body(headers));
    }

    private byte[] body(Map<String, String> headers) throws IOException {
        if (!headers.getOrDefault("transfer-encoding", "").equals("chunked"))
            return exactly(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        while (true) {
            int size = Integer.parseInt(line(), 16);
            body.writeBytes(exactly(size));
            line();
            if (size == 0) return body.toByteArray();
        }
    }

    private byte[] exactly(int size) throws IOException {
        byte[] bytes = in.readNBytes(size);
        if (bytes.length < size) throw new EOFException(bytes.length + " of " + size + " bytes");
        return bytes;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int next = in.read();
            if (next < 0) throw new EOFException("the connection ends after: " + line);
            if (next == '\n') return line.toString();
            if (next != '\r') line.append((char) next);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
