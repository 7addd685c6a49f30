package chat.log.rabbit;

import chat.log.RoomLog;
import chat.log.breaker.BreakingRoomLog;
import chat.log.breaker.LogBreaker;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Gives a program its {@link RoomLog}: set by {@code chat.rabbitmq.*}, used as its {@link Client} bean says. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RabbitLogSettings.class)
public class RabbitLogConfiguration {

    /** @param name of the program, as {@code rabbitmqctl list_connections} shows it */
    public record Client(String name, RabbitRoomLog.Access access) {}

    /** @param breaker of a program that writes and wants one */
    @Bean(destroyMethod = "close")
    RoomLog roomLog(RabbitLogSettings settings, Client client, ObjectProvider<LogBreaker> breaker) {
        RabbitRoomLog log = new RabbitRoomLog(settings, client.name(), client.access());
        LogBreaker wanted = breaker.getIfAvailable();
        return wanted == null ? log : new BreakingRoomLog(log, wanted);
    }
}
