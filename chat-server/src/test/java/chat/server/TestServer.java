package chat.server;

import chat.log.RoomLog;
import chat.server.room.History;
import chat.server.room.NoHistory;
import chat.server.room.Rooms;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.context.support.GenericApplicationContext;

/** A whole chat server in this JVM, on random ports and on a log of the test's. */
final class TestServer implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final Leftovers leftovers;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ChatServerConfiguration.class)
    static class OnTheLogOfTheTest {}

    private TestServer(ConfigurableApplicationContext context) {
        this.context = context;
        this.leftovers = new Leftovers(context);
    }

    static TestServer start(RoomLog log, String... settings) {
        return start(log, new TestConstants(), settings);
    }

    static TestServer start(RoomLog log, TestConstants constants, String... settings) {
        return start(log, new NoHistory(), constants, settings);
    }

    static TestServer start(RoomLog log, History history, String... settings) {
        return start(log, history, new TestConstants(), settings);
    }

    /** @param settings {@code name=value} */
    static TestServer start(RoomLog log, History history, TestConstants constants, String... settings) {
        return start(
                new SpringApplicationBuilder(OnTheLogOfTheTest.class).initializers(context -> {
                    GenericApplicationContext beans = (GenericApplicationContext) context;
                    beans.registerBean(
                            "roomLog", RoomLog.class, () -> log, definition -> definition.setDestroyMethodName(""));
                    beans.registerBean(
                            "testHistory", History.class, () -> history, definition -> definition.setPrimary(true));
                }),
                constants,
                settings);
    }

    /** As in production, but for the ports. */
    static TestServer startOnRabbit(String uri, String... settings) {
        return startOnRabbit(uri, new TestConstants(), settings);
    }

    static TestServer startOnRabbit(String uri, TestConstants constants, String... settings) {
        String[] all = Arrays.copyOf(settings, settings.length + 1);
        all[settings.length] = "chat.rabbitmq.uri=" + uri;
        return start(new SpringApplicationBuilder(ChatServerApplication.class), constants, all);
    }

    private static TestServer start(SpringApplicationBuilder application, TestConstants constants, String... settings) {
        Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("server.port", "0");
        arguments.put("management.server.port", "0");
        arguments.put("chat.identity.mode", "open");
        arguments.put("chat.server.drain.timeout", "5s");
        arguments.put("chat.server.session-audit", "true");
        // The machine that tests may be busy with other things; who tests the guard sets marks.
        for (String resource : List.of("loop-delay", "heap"))
            arguments.put("chat.server.guard." + resource + ".high", "0");
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            arguments.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return new TestServer(application
                .initializers(
                        context -> context.getBeanFactory()
                                .addBeanPostProcessor(new TestConstants().historyPatience(Duration.ofSeconds(1))),
                        context -> context.getBeanFactory().addBeanPostProcessor(constants),
                        TestServer::countReaders)
                .properties("spring.config.name=chat-server")
                .run(arguments.entrySet().stream()
                        .map(setting -> "--" + setting.getKey() + "=" + setting.getValue())
                        .toArray(String[]::new)));
    }

    private static void countReaders(ConfigurableApplicationContext context) {
        context.getBeanFactory().addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof RoomLog log ? new CountedReaders(log) : bean;
            }
        });
    }

    int port() {
        return port("local.server.port");
    }

    int managementPort() {
        return port("local.management.port");
    }

    private int port(String property) {
        Integer port = context.getEnvironment().getProperty(property, Integer.class);
        if (port == null) throw new IllegalStateException("no " + property);
        return port;
    }

    URI socket(String room) {
        return URI.create("ws://127.0.0.1:" + port() + "/chat/" + room);
    }

    URI page(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /** Upgrades rejected for this reason. */
    double refused(String reason) {
        Counter counter = bean(MeterRegistry.class)
                .find("chat.refused")
                .tag("reason", reason)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Disconnects the server from the log; it must still be closed. */
    void die() {
        leftovers.expectMemberships();
        bean(Rooms.class).close();
    }

    @Override
    public void close() {
        if (context.isActive()) leftovers.assertOnlyPartitionsAreRead();
        context.close();
        leftovers.assertNone();
        BlockingCalls.assertNone();
        LeakedBuffers.assertNone();
        DroppedSignals.assertNone();
    }
}
