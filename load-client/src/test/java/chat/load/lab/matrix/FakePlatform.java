package chat.load.lab.matrix;

import chat.load.lab.child.FakeClient;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A platform that only answers to {@code GET /health}, to be run as a real child process: {@code PORT DIR JOURNAL}. It
 * writes its setting into its directory, and into the journal when it starts and when it is stopped. With
 * {@code FAKE_SETTING=broken} it does not start, with {@code mute} it answers nothing.
 */
public final class FakePlatform {
    private FakePlatform() {}

    /** A command line that starts it in the run's own directory. */
    static List<String> command(int port, Path journal) {
        List<String> command = new ArrayList<>(FakeClient.java(FakePlatform.class));
        command.addAll(List.of(Integer.toString(port), Platform.DIRECTORY, journal.toString()));
        return command;
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        Path journal = Path.of(arguments[2]);
        String setting = System.getenv().getOrDefault("FAKE_SETTING", "none");
        if (setting.equals("broken")) {
            System.out.println("the setting is broken");
            System.exit(3);
        }
        Files.writeString(directory.resolve("stored"), setting, StandardOpenOption.CREATE_NEW);
        write(journal, "started " + setting + " pid " + ProcessHandle.current().pid());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> write(journal, "stopped " + setting)));
        if (!setting.equals("mute")) {
            HttpServer server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])), 0);
            server.createContext("/health", exchange -> {
                exchange.sendResponseHeaders(200, -1);
                exchange.close();
            });
            server.start();
        }
        new CountDownLatch(1).await();
    }

    private static void write(Path journal, String line) {
        try {
            Files.writeString(journal, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException unwritable) {
            throw new java.io.UncheckedIOException(unwritable);
        }
    }
}
