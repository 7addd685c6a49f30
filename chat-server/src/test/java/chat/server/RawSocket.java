package chat.server;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A WebSocket client that may break every rule: frames byte by byte over a plain socket. */
final class RawSocket implements AutoCloseable {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    /** @param payload of the frame, unmasked */
    record Frame(int opcode, byte[] payload) {
        int closeCode() {
            return payload.length < 2 ? 1005 : ByteBuffer.wrap(payload).getShort() & 0xffff;
        }
    }

    private RawSocket(int port, int receiveBuffer) throws IOException {
        socket = new Socket();
        if (receiveBuffer > 0) socket.setReceiveBufferSize(receiveBuffer);
        socket.setSendBufferSize(64 * 1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.setSoTimeout(15_000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    static RawSocket connect(TestServer server, String path) throws IOException {
        return connect(server.port(), path, 0);
    }

    /** @param receiveBuffer bytes that the operating system may hold for this side, about; 0: as it likes */
    static RawSocket connect(int port, String path, int receiveBuffer, String... headers) throws IOException {
        RawSocket raw = new RawSocket(port, receiveBuffer);
        raw.upgraded(path, headers);
        return raw;
    }

    /** A connection that may be upgraded later. */
    static RawSocket plain(int port) throws IOException {
        return new RawSocket(port, 0);
    }

    void upgraded(String path, String... headers) throws IOException {
        String answer = upgrade(path, headers);
        if (!answer.startsWith("HTTP/1.1 101")) throw new IOException("not upgraded: " + answer);
    }

    /** The whole answer, without its body, to an upgrade with these further headers. */
    static String handshake(TestServer server, String path, String... headers) throws IOException {
        try (RawSocket raw = new RawSocket(server.port(), 0)) {
            return raw.upgrade(path, headers);
        }
    }

    /** The head and the body of an answer that ends the connection. */
    static String refusal(TestServer server, String path, String... headers) throws IOException {
        try (RawSocket raw = new RawSocket(server.port(), 0)) {
            return raw.upgrade(path, headers) + new String(raw.in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String upgrade(String path, String... headers) throws IOException {
        StringBuilder request = new StringBuilder("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + socket.getPort()
                + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        for (String header : headers) request.append(header).append("\r\n");
        out.write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) break;
            answer.append((char) next);
        }
        return answer.toString();
    }

    void send(boolean last, int opcode, byte[] payload) throws IOException {
        send(last, 0, opcode, true, payload);
    }

    void text(String text) throws IOException {
        send(true, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** As {@link #text}, without a checked exception. */
    void say(String text) {
        try {
            text(text);
        } catch (IOException lost) {
            throw new UncheckedIOException(lost);
        }
    }

    /** @param reserved the three reserved bits, RSV1 being 4 */
    void send(boolean last, int reserved, int opcode, boolean masked, byte[] payload) throws IOException {
        sendBytes(frame(last, reserved, opcode, masked, payload));
    }

    /** A frame as it goes over the wire. */
    static byte[] frame(boolean last, int reserved, int opcode, boolean masked, byte[] payload) {
        ByteBuffer frame = ByteBuffer.allocate(payload.length + 14);
        frame.put((byte) ((last ? 0x80 : 0) | reserved << 4 | opcode));
        int mask = masked ? 0x80 : 0;
        if (payload.length < 126) frame.put((byte) (mask | payload.length));
        else if (payload.length < 65_536) frame.put((byte) (mask | 126)).putShort((short) payload.length);
        else frame.put((byte) (mask | 127)).putLong(payload.length);
        byte[] key = {1, 2, 3, 4};
        if (masked) frame.put(key);
        for (int i = 0; i < payload.length; i++) frame.put((byte) (masked ? payload[i] ^ key[i % 4] : payload[i]));
        return Arrays.copyOf(frame.array(), frame.position());
    }

    interface Sending {
        void run() throws IOException;
    }

    /** Sends what may come too late: the server may have closed the connection before all of it is out. */
    void sendLeniently(Sending sending) throws IOException {
        try {
            sending.run();
        } catch (SocketException closedAlready) {
            // Data received before can still be read.
        }
    }

    /** Each piece in a segment of its own. */
    void sendChopped(byte[] bytes, int size) throws IOException {
        socket.setTcpNoDelay(true);
        for (int at = 0; at < bytes.length; at += size)
            sendBytes(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size)));
    }

    void sendBytes(byte... bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** @throws EOFException where the server has closed the connection */
    Frame read() throws IOException {
        int opcode = in.readUnsignedByte() & 0x0f;
        long length = in.readUnsignedByte();
        if (length == 126) length = in.readUnsignedShort();
        else if (length == 127) length = in.readLong();
        byte[] payload = new byte[(int) length];
        in.readFully(payload);
        return new Frame(opcode, payload);
    }

    /** Reads on to the server's close frame. */
    int closeCode() throws IOException {
        while (true) {
            Frame frame = read();
            if (frame.opcode() == CLOSE) return frame.closeCode();
        }
    }

    /** Says that nothing will follow from here; what the server says can still be read. */
    void finish() throws IOException {
        socket.shutdownOutput();
    }

    /** Whether nothing follows any more: the server has closed the connection. */
    boolean isAtEnd() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Resets the connection, dropping data in flight. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
