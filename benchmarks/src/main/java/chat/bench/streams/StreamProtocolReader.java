package chat.bench.streams;

import com.rabbitmq.stream.Address;
import com.rabbitmq.stream.ChunkChecksum;
import com.rabbitmq.stream.Environment;
import com.rabbitmq.stream.EnvironmentBuilder;
import com.rabbitmq.stream.OffsetSpecification;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Reads with RabbitMQ's Java client of the stream protocol. */
final class StreamProtocolReader implements StreamReader {
    private final Environment environment;
    private final List<Window> windows = new ArrayList<>();

    /** @param amqp the node's AMQP address; user and password are the same for streams */
    StreamProtocolReader(URI amqp, int port, Way.StreamProtocol way, List<String> streams) {
        String[] credentials = amqp.getUserInfo().split(":", 2);
        EnvironmentBuilder builder = Environment.builder()
                .host("127.0.0.1")
                .port(port)
                .username(credentials[0])
                .password(credentials[1])
                .addressResolver(told -> new Address("127.0.0.1", port));
        environment = (way.checksum() ? builder : builder.chunkChecksum(ChunkChecksum.NO_OP)).build();
        for (String stream : streams) {
            Window window = new Window();
            environment.consumerBuilder().stream(stream)
                    .offset(OffsetSpecification.last())
                    .noTrackingStrategy()
                    .flow()
                    .strategy(way.strategy())
                    .builder()
                    .messageHandler((context, message) -> {
                        window.read(message.getBodyAsBinary());
                        context.processed();
                    })
                    .build();
            windows.add(window);
        }
    }

    @Override
    public List<Window> windows() {
        return windows;
    }

    @Override
    public void close() {
        environment.close();
    }
}
