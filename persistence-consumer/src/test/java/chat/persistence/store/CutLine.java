package chat.persistence.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** A proxy on this machine that cuts a connection when a client first sends a word, before the server receives it. */
final class CutLine implements AutoCloseable {
    private final int target;
    private final String word;
    private final AtomicBoolean cut = new AtomicBoolean();
    private final ServerSocket door;

    CutLine(int target, String word) throws IOException {
        this.target = target;
        this.word = word;
        this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    boolean wasCut() {
        return cut.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofVirtual().start(() -> copy(client, server, true));
                Thread.ofVirtual().start(() -> copy(server, client, false));
            }
        } catch (IOException closed) {
            // That is how it ends.
        }
    }

    private void copy(Socket from, Socket to, boolean listens) {
        byte[] buffer = new byte[16 * 1024];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                String said = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
                if (listens && said.contains(word) && cut.compareAndSet(false, true)) return;
                out.write(buffer, 0, read);
            }
        } catch (IOException gone) {
            // So is the other side now.
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
    }
}
