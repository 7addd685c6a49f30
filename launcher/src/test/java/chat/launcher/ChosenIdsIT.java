package chat.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.nodes.PostgresNode;
import chat.nodes.PostgresSettings;
import chat.persistence.ConsumerConfiguration;
import chat.protocol.DerivedId;
import chat.protocol.MessageType;
import chat.protocol.RoomId;
import chat.server.ChatServerConfiguration;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;

/**
 * Uses few ids, rooms and texts, several connections of each user to two servers, and restarts of all programs. Checks
 * that each acknowledged message is exactly one row, and that there are no other rows.
 */
class ChosenIdsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SENDERS = 4;
    private static final int USERS = 2;
    private static final int STEPS = 120;
    private static final List<String> ROOMS = List.of("red", "green", "blue");
    private static final List<String> TEXTS = List.of("one", "two", "three");
    private static final int IDS = 40;

    private final PostgresNode postgres = new PostgresNode(PostgresSettings.inTemporaryDirectory());
    private final InMemoryRoomLog log = new InMemoryRoomLog(2, 64 << 20, Clock.systemUTC());
    private final AtomicIntegerArray ports = new AtomicIntegerArray(2);
    private final List<ConfigurableApplicationContext> servers = new ArrayList<>();
    private ConfigurableApplicationContext consumer;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ChatServerConfiguration.class)
    static class ServerOnTheLogOfTheTest {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ConsumerConfiguration.class)
    static class ConsumerOnTheLogOfTheTest {}

    @BeforeEach
    void begin() {
        postgres.start();
        consumer = consumer();
        for (int i = 0; i < ports.length(); i++) servers.add(server(i));
    }

    @AfterEach
    void end() {
        servers.forEach(ConfigurableApplicationContext::close);
        consumer.close();
        log.close();
        postgres.close();
    }

    private ConfigurableApplicationContext start(Class<?> program, String name, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--management.server.port=0",
                "--chat.identity.mode=open",
                "--chat.server.guard.loop-delay.high=0",
                "--chat.postgres.url=" + postgres.jdbcUrl(),
                "--chat.postgres.user=" + postgres.user(),
                "--chat.postgres.password=" + postgres.password()));
        arguments.addAll(List.of(more));
        return new SpringApplicationBuilder(program)
                .properties("spring.config.name=" + name)
                .initializers(context -> ((GenericApplicationContext) context)
                        .registerBean(
                                "roomLog", RoomLog.class, () -> log, definition -> definition.setDestroyMethodName("")))
                .run(arguments.toArray(String[]::new));
    }

    private ConfigurableApplicationContext server(int number) {
        ConfigurableApplicationContext server = start(
                ServerOnTheLogOfTheTest.class,
                "chat-server",
                "--chat.server.id=s-" + number,
                "--chat.server.drain.timeout=2s");
        ports.set(number, server.getEnvironment().getRequiredProperty("local.server.port", Integer.class));
        return server;
    }

    private ConfigurableApplicationContext consumer() {
        return start(ConsumerOnTheLogOfTheTest.class, "persistence-consumer");
    }

    /** The last seed is random; to repeat a failure, replace it by the seed of the failure. */
    static LongStream seeds() {
        return LongStream.of(1, System.nanoTime());
    }

    /** A text that a user sent under an id. */
    private record Sent(int user, String room, UUID id, String text) implements Comparable<Sent> {
        UUID derived() {
            return DerivedId.of(id, new RoomId(room), Integer.toString(user), MessageType.TEXT, text, 0);
        }

        @Override
        public int compareTo(Sent other) {
            return toString().compareTo(other.toString());
        }
    }

    /** Sends one text at a time, one connection after the other; resends each until there is a response. */
    private final class Sender {
        private final int user;
        private final Random random;
        private final Set<Sent> acknowledged;
        private final BlockingQueue<JsonNode> answers = new LinkedBlockingQueue<>();
        private RoomSocket socket;

        Sender(int user, Random random, Set<Sent> acknowledged) {
            this.user = user;
            this.random = random;
            this.acknowledged = acknowledged;
            this.socket = connect();
        }

        private RoomSocket connect() {
            return await().atMost(PATIENCE).ignoreExceptions().until(this::tryToConnect, connected -> true);
        }

        private RoomSocket tryToConnect() {
            answers.clear();
            RoomSocket connected =
                    new RoomSocket(ports.get(random.nextInt(ports.length())), user, ROOMS.getFirst(), null, frame -> {
                        String type = frame.get("type").stringValue();
                        if (type.equals("ACK") || type.equals("ERROR")) answers.add(frame);
                    });
            ROOMS.forEach(connected::ask);
            await().atMost(Duration.ofSeconds(10)).until(() -> connected.rooms.containsAll(ROOMS));
            return connected;
        }

        void step() throws InterruptedException {
            Sent next = new Sent(
                    user,
                    ROOMS.get(random.nextInt(ROOMS.size())),
                    new UUID(0x0199_0000_0000_7000L, Long.MIN_VALUE | random.nextInt(IDS)),
                    TEXTS.get(random.nextInt(TEXTS.size())));
            while (true) {
                socket.text(next.room, next.id.toString(), next.text);
                JsonNode answer = answers.poll(20, TimeUnit.MILLISECONDS);
                while (answer == null && !socket.closed.isDone()) answer = answers.poll(20, TimeUnit.MILLISECONDS);
                if (answer == null) {
                    socket = connect();
                } else if (answer.get("type").stringValue().equals("ACK")) {
                    assertThat(answer.get("messageIds").toString()).contains(next.id.toString());
                    acknowledged.add(next);
                    return;
                } else if (!answer.get("retryable").booleanValue()) {
                    assertThat(answer.get("code").stringValue()).isEqualTo("CONFLICT");
                    return;
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void exactlyTheAcknowledgedMessagesAreRows(long seed) throws Exception {
        Set<Sent> acknowledged = new ConcurrentSkipListSet<>();
        AtomicInteger steps = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(SENDERS)) {
            List<Future<?>> sending = IntStream.range(0, SENDERS)
                    .<Future<?>>mapToObj(i -> threads.submit(() -> {
                        Sender sender = new Sender(1 + i % USERS, new Random(seed * SENDERS + i), acknowledged);
                        for (int step = 0; step < STEPS; step++, steps.incrementAndGet()) sender.step();
                        return null;
                    }))
                    .toList();
            int all = SENDERS * STEPS;
            for (int part = 1; part <= 3; part++) {
                int due = all * part / 4;
                await().atMost(PATIENCE)
                        .until(() -> steps.get() >= due || sending.stream().anyMatch(Future::isDone));
                if (part == 2) {
                    consumer.close();
                    consumer = consumer();
                } else {
                    int number = part / 2;
                    servers.get(number).close();
                    servers.set(number, server(number));
                }
            }
            for (Future<?> one : sending) one.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        Set<String> rows = new TreeSet<>();
        await().atMost(PATIENCE).until(() -> {
            rows.clear();
            rows.addAll(rows());
            return rows.size() >= acknowledged.size();
        });
        assertThat(rows).as("seed %s", seed).hasSameSizeAs(acknowledged);
        for (Sent sent : acknowledged) {
            List<String> either = List.of(row(sent, sent.id), row(sent, sent.derived()));
            assertThat(rows).as("seed %s: %s", seed, sent).containsAnyElementsOf(either);
        }
    }

    private static String row(Sent sent, UUID id) {
        return sent.user + " " + sent.room + " " + id + " " + sent.text;
    }

    private List<String> rows() throws Exception {
        try (Connection connection =
                        DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT user_id || ' ' || room_id || ' ' || message_id || ' '"
                        + " || content FROM messages JOIN rooms USING (room) JOIN users USING (usr)"
                        + " WHERE message_type = 'TEXT'")) {
            List<String> found = new ArrayList<>();
            while (rows.next()) found.add(rows.getString(1));
            return found;
        }
    }
}
