package chat.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A way to a server that can swallow everything, in both directions, while the connections stand. */
final class SilentProxy implements AutoCloseable {
    private final ServerSocket entrance;
    private final List<Socket> sockets = new ArrayList<>();
    private volatile boolean swallowing;

    SilentProxy(int port) throws IOException {
        entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> accept(port));
    }

    int port() {
        return entrance.getLocalPort();
    }

    void swallow() {
        swallowing = true;
    }

    private void accept(int port) {
        while (true) {
            try {
                Socket client = keep(entrance.accept());
                Socket server = keep(new Socket(InetAddress.getLoopbackAddress(), port));
                Thread.startVirtualThread(() -> pump(client, server));
                Thread.startVirtualThread(() -> pump(server, client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private synchronized Socket keep(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    /** The end of one side is swallowed like everything else. */
    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            int read;
            while ((read = in.read(buffer)) >= 0)
                if (!swallowing) to.getOutputStream().write(buffer, 0, read);
            if (!swallowing) to.close();
        } catch (IOException gone) {
            // The other direction notices itself.
        }
    }

    @Override
    public synchronized void close() throws IOException {
        entrance.close();
        for (Socket socket : sockets) socket.close();
    }
}
