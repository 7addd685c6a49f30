package chat.launcher.chaos;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.MessageProperties;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.TimeoutException;

/** Writes entries into the log that no program can read. Each must become one dead letter. */
final class PoisonEntries implements Fault {
    private static final String COUNT = "SELECT count(*) FROM dead_letter";
    private static final String EXCHANGE = "chat.exchange";
    private static final byte UNKNOWN_VERSION = 99;
    private static final int LARGE_BYTES = 1 << 20;

    private final Target target;
    private long before;

    PoisonEntries(Target target) {
        this.target = target;
    }

    /** Returns entries without a known version, with a later version, cut off in the header, and very large. */
    private static List<byte[]> entries() {
        byte[] cutOff = {1, 0, 0, 0};
        byte[] large = new byte[LARGE_BYTES];
        return List.of(
                "not an entry".getBytes(StandardCharsets.US_ASCII), new byte[] {UNKNOWN_VERSION, 1}, cutOff, large);
    }

    @Override
    public void inject() {
        before = Sql.number(target, COUNT);
        try {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(target.anyBroker().uri());
            try (Connection connection = factory.newConnection();
                    Channel channel = connection.createChannel()) {
                channel.confirmSelect();
                for (int partition = 0; partition < target.partitions(); partition++)
                    for (byte[] entry : entries())
                        channel.basicPublish(EXCHANGE, "room." + partition, MessageProperties.PERSISTENT_BASIC, entry);
                channel.waitForConfirmsOrDie();
            }
        } catch (IOException | TimeoutException | URISyntaxException | GeneralSecurityException failure) {
            throw new ChaosFailure("cannot write to the log: " + failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void heal() {}

    @Override
    public List<String> complaints() throws InterruptedException {
        long expected = before + (long) target.partitions() * entries().size();
        Waiting.within(Waiting.PATIENCE, () -> Sql.number(target, COUNT) >= expected);
        long letters = Sql.number(target, COUNT);
        return letters == expected
                ? List.of()
                : List.of((letters - before) + " dead letters instead of " + (expected - before));
    }
}
