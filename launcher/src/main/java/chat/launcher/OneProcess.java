package chat.launcher;

import chat.launcher.platform.Cluster;
import chat.launcher.platform.Platform;
import chat.launcher.platform.StartFailure;
import chat.nodes.Ports;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;

/** Runs chat server, consumer and log in this JVM, on one port, and PostgreSQL as a child process. */
final class OneProcess implements Platform {
    static final String DATA = "one-process";

    private final Path home;
    private final int port;
    private final @Nullable String postgresUrl;
    private final Map<String, String> identity;
    private final PrintStream out;
    private @Nullable PostgresNode postgres;
    private @Nullable ConfigurableApplicationContext application;
    private boolean closed;

    /** @param identity environment variables for authentication; empty: those of this process apply */
    OneProcess(Path home, int port, @Nullable String postgresUrl, Map<String, String> identity, PrintStream out) {
        this.home = home;
        this.port = port;
        this.postgresUrl = postgresUrl;
        this.identity = Map.copyOf(identity);
        this.out = out;
    }

    @Override
    public synchronized void start() {
        if (closed) return;
        if (!Ports.isFree(port)) throw new StartFailure("port " + port + " is in use; choose another with --port");
        int wanted = port + Cluster.MANAGEMENT_OFFSET;
        int managementPort = wanted <= 65_535 && Ports.isFree(wanted) ? wanted : Ports.free();
        List<String> settings = new ArrayList<>(List.of(
                "--spring.config.name=confab-local",
                "--server.port=" + port,
                "--management.server.port=" + managementPort,
                "--chat.dashboard.servers=local=http://127.0.0.1:" + managementPort,
                "--chat.server.history.url=http://127.0.0.1:" + port));
        // Placeholders in the YAML resolve from arguments as well as from the environment.
        identity.forEach((name, value) -> settings.add("--" + name + "=" + value));
        settings.addAll(database());
        out.println("Starting the chat server and the consumer");
        try {
            application = new SpringApplicationBuilder(LocalApplication.class)
                    .registerShutdownHook(false) // PostgreSQL must stop after it: see close
                    .run(settings.toArray(String[]::new));
        } catch (RuntimeException failure) {
            throw new StartFailure(String.valueOf(
                    NestedExceptionUtils.getMostSpecificCause(failure).getMessage()));
        }
        out.printf(
                Locale.ROOT,
                "%nConfab is up (Ctrl-C stops everything)%n"
                        + "  Chat   http://localhost:%1$d            open it in two tabs; WebSocket at ws://localhost:%1$d/chat/{room}%n"
                        + "  Board  http://localhost:%1$d/dashboard  live metrics and history%n"
                        + "  REST   http://localhost:%1$d/api/rooms/lobby/messages, /health; metrics on 127.0.0.1:%3$d/actuator/prometheus%n"
                        + "  Users  %4$s%n"
                        + "  Data   %2$s (PostgreSQL; messages that are not stored yet are only in memory)%n",
                port,
                postgresUrl == null ? home.resolve(DATA) : "in the database given",
                managementPort,
                Platform.who(identity, home));
        out.flush();
    }

    private List<String> database() {
        if (postgresUrl != null) return List.of("--chat.postgres.url=" + postgresUrl);
        PostgresNode node = new PostgresNode(
                PostgresSettings.in(home.resolve(DATA).resolve("postgres")).withProgress(out::println));
        postgres = node;
        node.start();
        return List.of(
                "--chat.postgres.url=" + node.jdbcUrl(),
                "--chat.postgres.user=" + node.user(),
                "--chat.postgres.password=" + node.password());
    }

    @Override
    public synchronized void close() {
        if (closed) return;
        closed = true;
        if (application != null) {
            out.println("\nStopping: closing connections and storing accepted messages");
            application.close();
        }
        if (postgres != null) postgres.close();
        if (application != null) out.println("Stopped");
        out.flush();
    }
}
