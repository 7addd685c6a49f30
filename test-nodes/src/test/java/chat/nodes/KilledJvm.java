package chat.nodes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs a JVM that starts a node and is then killed, leaving the node running. */
final class KilledJvm {
    private KilledJvm() {}

    /** Runs such a JVM to its end and returns the process that it has left running. */
    static ProcessHandle leaves(String server, Path directory) {
        try {
            Process jvm = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Dconfab.ports.shared=true",
                            "-cp",
                            System.getProperty("java.class.path"),
                            KilledJvm.class.getName(),
                            server,
                            directory.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            // Its log lines precede the process id.
            String printed = new String(jvm.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
            String pid = printed.substring(printed.lastIndexOf('\n') + 1);
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void main(String[] arguments) {
        Path directory = Path.of(arguments[1]);
        long pid = switch (arguments[0]) {
            case "rabbitmq" ->
                new RabbitNode(RabbitSettings.in(directory)).start().pid();
            case "postgres" ->
                new PostgresNode(PostgresSettings.in(directory)).start().pid();
            case "haproxy" -> haproxy(directory).start().pid();
            default -> throw new IllegalArgumentException(List.of(arguments).toString());
        };
        System.out.println(pid);
        System.out.flush();
        Runtime.getRuntime().halt(137);
    }

    private static HaproxyNode haproxy(Path directory) {
        int port = Ports.free();
        HaproxyConfig config = new HaproxyConfig(
                "127.0.0.1:" + port,
                "127.0.0.1:" + Ports.free(),
                "admin.sock",
                0,
                4,
                HaproxyConfig.Placement.PARTITION,
                List.of("127.0.0.1:" + Ports.free()),
                "127.0.0.1:" + Ports.free());
        return new HaproxyNode(directory, port, config, ignored -> {});
    }
}
