package chat.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Represents one line of {@code hostile/bad-requests.jsonl}: bytes to send over a plain socket, as a Latin-1 string or
 * as parts with repeat counts.
 *
 * @param status accepted status codes; 0: the connection is closed without a response
 */
public record BadRequest(String name, byte[] bytes, List<Integer> status) {
    private static final String HOST = "{host}";
    private static final Pattern STATUS = Pattern.compile("HTTP/\\d\\.\\d (\\d{3}) ");
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)\r\n");

    /**
     * Returns the table on the class path; each program has its own.
     *
     * @param port the program's port, which some requests contain
     */
    public static Stream<BadRequest> all(int port) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(BadRequest.class.getResourceAsStream("/hostile/bad-requests.jsonl")), UTF_8))) {
            return lines.lines().map(line -> read(line, port)).toList().stream();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static BadRequest read(String line, int port) {
        JsonNode row = JsonMapper.shared().readTree(line);
        StringBuilder text = new StringBuilder();
        if (row.has("request")) text.append(row.get("request").stringValue());
        for (JsonNode part : row.path("parts"))
            text.repeat(part.get(0).stringValue(), part.get(1).intValue());
        return new BadRequest(
                row.get("name").stringValue(),
                text.toString().replace(HOST, "127.0.0.1:" + port).getBytes(ISO_8859_1),
                row.get("status").valueStream().map(JsonNode::intValue).toList());
    }

    /** Sends the request and checks that the response has an accepted status and reveals nothing about the server. */
    public void assertAnswered(int port) throws IOException {
        String answer = answer(port);
        Matcher status = STATUS.matcher(answer);
        int got = status.lookingAt() ? Integer.parseInt(status.group(1)) : 0;
        assertThat(got).as(answer).isIn(status());
        if (got == 0) assertThat(answer).isEmpty();
        assertThat(answer)
                .hasSizeLessThan(4096)
                .doesNotContain("Exception", "\tat ", "java.", "springframework", "netty", "jackson", "postgres");
        assertThat(answer.split("\r\n\r\n", 2)[0]).doesNotContain("\r\nX-Injected");
    }

    private String answer(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(15_000);
            try {
                socket.getOutputStream().write(bytes);
            } catch (SocketException refusedBeforeTheEnd) {
                // The response may have arrived anyway.
            }
            return read(socket);
        }
    }

    /** Reads the head, and the body as far as it arrives. */
    private static String read(Socket socket) throws IOException {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        byte[] buffer = new byte[8192];
        try {
            while (!isWhole(answer.toString(ISO_8859_1))) {
                int count = in.read(buffer);
                if (count < 0) break;
                answer.write(buffer, 0, count);
            }
        } catch (SocketException reset) {
            // Closed while this test was still writing.
        } catch (SocketTimeoutException silent) {
            throw new AssertionError("neither a response nor a close: " + answer.toString(ISO_8859_1), silent);
        }
        return answer.toString(ISO_8859_1);
    }

    private static boolean isWhole(String answer) {
        int body = answer.indexOf("\r\n\r\n") + 4;
        if (body < 4) return false;
        Matcher length = LENGTH.matcher(answer);
        // A response without a length ends with the connection, or has no body.
        return length.find()
                ? answer.length() - body >= Integer.parseInt(length.group(1))
                : !answer.contains("chunked");
    }

    @Override
    public String toString() {
        return name;
    }
}
