package chat.load.dialect;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import tools.jackson.databind.json.JsonMapper;

/** A recording of a real server: one JSON string per WebSocket message, one character per byte. */
final class Recording {
    static final String SOCKET_IO = "socketio-4.8.4.jsonl";
    /** Of what NATS sends to browsers, whose messages it cuts after 4,096 bytes. */
    static final String NATS = "nats-server-2.9.10.jsonl";

    static final String CENTRIFUGO = "centrifugo-5.4.9.jsonl";

    private static final JsonMapper JSON = JsonMapper.shared();

    private Recording() {}

    static List<byte[]> of(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(Recording.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .map(line -> JSON.readValue(line, String.class).getBytes(StandardCharsets.ISO_8859_1))
                    .toList();
        }
    }
}
