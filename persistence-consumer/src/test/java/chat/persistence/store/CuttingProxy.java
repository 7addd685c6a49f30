package chat.persistence.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/** A local proxy that cuts the first connection over which a client sends a word, before the server receives it. */
final class CuttingProxy implements AutoCloseable {
    private final int target;
    private final String word;
    private final AtomicBoolean cut = new AtomicBoolean();
    private final ServerSocket listener;

    CuttingProxy(int target, String word) throws IOException {
        this.target = target;
        this.word = word;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    boolean hasCut() {
        return cut.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofVirtual().start(() -> copy(client, server, true));
                Thread.ofVirtual().start(() -> copy(server, client, false));
            }
        } catch (IOException closed) {
            // The proxy was closed.
        }
    }

    private void copy(Socket from, Socket to, boolean fromClient) {
        byte[] buffer = new byte[16 * 1024];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                String sent = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
                if (fromClient && sent.contains(word) && cut.compareAndSet(false, true)) return;
                out.write(buffer, 0, read);
            }
        } catch (IOException gone) {
            // One side closed its connection; the other one is closed, too.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
