package chat.persistence;

import chat.kit.identity.KnownPasswords;
import chat.kit.identity.token.IdentitySettings;
import chat.kit.management.start.ListenReport;
import chat.kit.management.stop.OrderlyStop;
import chat.log.rabbit.RabbitLogConfiguration;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog;
import chat.persistence.store.PostgresProperties;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Runs the consumer as a process of its own. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ConsumerConfiguration.class, RabbitLogConfiguration.class})
public class PersistenceConsumer {

    @Bean
    ListenReport listenReport() {
        return new ListenReport("CHAT_CONSUMER_ADDRESS");
    }

    @Bean
    RabbitLogConfiguration.Client rabbitClient(
            IdentitySettings identity, PostgresProperties postgres, RabbitLogSettings broker) {
        if (!identity.isOpen()) {
            if (KnownPasswords.openBroker(broker.nodes().getFirst())) throw known("chat.rabbitmq.uri");
            if (postgres.hasKnownPassword()) throw known("chat.postgres.password");
        }
        return new RabbitLogConfiguration.Client("persistence-consumer", RabbitRoomLog.Access.READ_AND_TELL);
    }

    private static InvalidConfigurationPropertyValueException known(String setting) {
        return new InvalidConfigurationPropertyValueException(
                setting,
                "(not shown)",
                "the password is a well-known default; only CHAT_IDENTITY=open, meant for trials, accepts it");
    }

    static void main(String[] arguments) {
        // Not "application": another Confab program may be on the same class path.
        System.setProperty("spring.config.name", "persistence-consumer");
        OrderlyStop.onTermination(SpringApplication.run(PersistenceConsumer.class, arguments));
    }
}
