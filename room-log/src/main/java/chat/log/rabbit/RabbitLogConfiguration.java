package chat.log.rabbit;

import chat.log.RoomLog;
import chat.log.breaker.BreakingRoomLog;
import chat.log.breaker.LogBreaker;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Provides the {@link RoomLog} of a program, from the settings {@code chat.rabbitmq.*} and its {@link Client} bean. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RabbitLogSettings.class)
public class RabbitLogConfiguration {

    /** @param name name of the program in {@code rabbitmqctl list_connections} */
    public record Client(String name, RabbitRoomLog.Access access) {}

    /** @param breaker optional, of a program that writes */
    @Bean(destroyMethod = "close")
    RoomLog roomLog(RabbitLogSettings settings, Client client, ObjectProvider<LogBreaker> breaker) {
        RabbitRoomLog log = new RabbitRoomLog(settings, client.name(), client.access());
        LogBreaker optional = breaker.getIfAvailable();
        return optional == null ? log : new BreakingRoomLog(log, optional);
    }
}
