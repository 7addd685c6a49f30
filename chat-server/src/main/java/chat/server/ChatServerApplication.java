package chat.server;

import chat.kit.identity.KnownPasswords;
import chat.kit.identity.token.IdentitySettings;
import chat.kit.management.start.ListenReport;
import chat.kit.management.stop.OrderlyStop;
import chat.log.breaker.BreakerSettings;
import chat.log.breaker.LogBreaker;
import chat.log.rabbit.RabbitLogConfiguration;
import chat.log.rabbit.RabbitLogSettings;
import chat.log.rabbit.RabbitRoomLog.Access;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** A chat server alone, on a log in RabbitMQ: {@code java -jar chat-server.jar}. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({ChatServerConfiguration.class, RabbitLogConfiguration.class})
public class ChatServerApplication {

    /** @param arguments settings as {@code --name=value} */
    public static void main(String[] arguments) {
        OrderlyStop.onTermination(new SpringApplicationBuilder(ChatServerApplication.class)
                .properties("spring.config.name=chat-server")
                .run(arguments));
    }

    @Bean
    ListenReport listenReport() {
        return new ListenReport("CHAT_SERVER_ADDRESS");
    }

    @Bean
    LogBreaker logBreaker() {
        return new LogBreaker(BreakerSettings.DEFAULT, System::nanoTime);
    }

    @Bean
    RabbitLogConfiguration.Client logClient(ServerId serverId, IdentitySettings identity, RabbitLogSettings broker) {
        if (!identity.isOpen() && KnownPasswords.openBroker(broker.nodes().getFirst()))
            throw new InvalidConfigurationPropertyValueException(
                    "chat.rabbitmq.uri",
                    "(not shown)",
                    "its password is one that everybody knows: whoever reaches the broker could write into every room");
        return new RabbitLogConfiguration.Client(serverId.value(), Access.READ_AND_WRITE);
    }
}
