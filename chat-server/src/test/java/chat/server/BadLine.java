package chat.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A way to a server as bad networks are: far, narrow towards the client, and now and then still until a lost segment has
 * been sent again. Each connection has a line of its own, with its own seed. It takes from the server only what a line
 * holds, so the rest stays where it would be with a real one: in the server and its system's buffers.
 */
final class BadLine implements AutoCloseable {
    private static final int SEGMENT_BYTES = 1024;
    private static final int RECEIVE_BUFFER = 4096;
    private static final int BUFFERED_ON_THE_WAY = 8 * SEGMENT_BYTES;

    /**
     * How bad it is.
     *
     * @param latency one way
     * @param bytesPerSecond towards the client
     * @param loss share of the segments that have to be sent again
     * @param retransmission how long that takes, for the segment and all behind it
     */
    record Quality(Duration latency, int bytesPerSecond, double loss, Duration retransmission) {}

    private final Quality quality;
    private final long seed;
    private final ServerSocket entrance;
    private final List<Socket> sockets = new ArrayList<>();

    BadLine(int port, Quality quality, long seed) throws IOException {
        this.quality = quality;
        this.seed = seed;
        entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> accept(port));
    }

    int port() {
        return entrance.getLocalPort();
    }

    private void accept(int port) {
        try {
            for (long number = seed; ; number += 2) {
                Socket client = keep(entrance.accept());
                Socket server = keep(new Socket());
                server.setReceiveBufferSize(RECEIVE_BUFFER);
                server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                new Direction(server, client, quality.bytesPerSecond(), new Random(number)).open();
                new Direction(client, server, Integer.MAX_VALUE, new Random(number + 1)).open();
            }
        } catch (IOException closed) {
            // The port is closed.
        }
    }

    private synchronized Socket keep(Socket socket) {
        sockets.add(socket);
        return socket;
    }

    @Override
    public synchronized void close() throws IOException {
        entrance.close();
        for (Socket socket : sockets) socket.close();
    }

    /** Bytes on their way; none are the end of the stream. */
    private record Segment(long arrivesNanos, byte[] bytes) implements Delayed {
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(arrivesNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            // Not by their delays, asked for one after the other: segments can be a nanosecond apart.
            return Long.signum(arrivesNanos - ((Segment) other).arrivesNanos);
        }
    }

    private final class Direction {
        private final Socket from;
        private final Socket to;
        private final int bytesPerSecond;
        private final Random random;
        private final BlockingQueue<Segment> underWay = new DelayQueue<>();
        private final Semaphore room;
        private long lineFree = System.nanoTime();
        private long lastArrives = lineFree;

        Direction(Socket from, Socket to, int bytesPerSecond, Random random) {
            this.from = from;
            this.to = to;
            this.bytesPerSecond = bytesPerSecond;
            this.random = random;
            long inFlight = Math.min(1 << 20, quality.latency().toMillis() * bytesPerSecond / 1000);
            room = new Semaphore((int) inFlight + BUFFERED_ON_THE_WAY);
        }

        void open() {
            Thread.startVirtualThread(this::send);
            Thread.startVirtualThread(this::deliver);
        }

        private void send() {
            byte[] buffer = new byte[SEGMENT_BYTES];
            try {
                InputStream in = from.getInputStream();
                int read;
                while ((read = in.read(buffer)) >= 0) {
                    room.acquire(read);
                    underWay.put(segment(Arrays.copyOf(buffer, read)));
                }
                underWay.put(segment(new byte[0]));
            } catch (IOException | InterruptedException gone) {
                underWay.add(segment(new byte[0]));
            }
        }

        private Segment segment(byte[] bytes) {
            lineFree = Math.max(System.nanoTime(), lineFree) + bytes.length * 1_000_000_000L / bytesPerSecond;
            long arrives = lineFree + quality.latency().toNanos();
            if (random.nextDouble() < quality.loss())
                arrives += quality.retransmission().toNanos();
            lastArrives = Math.max(lastArrives + 1, arrives);
            return new Segment(lastArrives, bytes);
        }

        private void deliver() {
            try {
                OutputStream out = to.getOutputStream();
                while (true) {
                    byte[] bytes = underWay.take().bytes();
                    if (bytes.length == 0) break;
                    out.write(bytes);
                    room.release(bytes.length);
                }
                to.shutdownOutput();
            } catch (IOException | InterruptedException gone) {
                close(from);
            }
        }

        private static void close(Socket socket) {
            try {
                socket.close();
            } catch (IOException closedAlready) {
                // That is all right.
            }
        }
    }
}
