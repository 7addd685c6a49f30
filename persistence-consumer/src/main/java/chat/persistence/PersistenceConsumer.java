package chat.persistence;

import chat.log.rabbit.RabbitLogConfiguration;
import chat.log.rabbit.RabbitRoomLog;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The consumer as a process of its own. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ConsumerConfiguration.class, RabbitLogConfiguration.class})
public class PersistenceConsumer {

    @Bean
    RabbitLogConfiguration.Client rabbitClient() {
        return new RabbitLogConfiguration.Client("persistence-consumer", RabbitRoomLog.Access.READ_AND_TELL);
    }

    static void main(String[] arguments) {
        // Not "application": another of our programs may stand on the same class path.
        System.setProperty("spring.config.name", "persistence-consumer");
        SpringApplication.run(PersistenceConsumer.class, arguments);
    }
}
