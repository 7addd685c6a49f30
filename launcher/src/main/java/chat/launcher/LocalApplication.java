package chat.launcher;

import chat.log.InMemoryRoomLog;
import chat.log.RoomLog;
import chat.persistence.ConsumerConfiguration;
import chat.persistence.HealthPath;
import chat.server.ChatServerConfiguration;
import java.time.Clock;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.util.unit.DataSize;

/** Configures a chat server and the consumer with an in-memory log. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ChatServerConfiguration.class, ConsumerConfiguration.class})
class LocalApplication {

    @Bean(destroyMethod = "close")
    RoomLog roomLog(
            @Value("${chat.rabbitmq.partitions}") int partitions,
            @Value("${chat.local.partition-memory}") DataSize partitionMemory) {
        return new InMemoryRoomLog(partitions, partitionMemory.toBytes(), Clock.systemUTC());
    }

    /** {@code /health} is the chat server's. */
    @Bean
    HealthPath consumerHealthPath() {
        return new HealthPath("/health/consumer");
    }
}
