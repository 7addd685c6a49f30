package chat.server.door;

import chat.kit.admission.ClientAddresses;
import chat.server.limit.ConnectionLimit;
import chat.server.limit.DoorRule;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * The door and its rules in their order: every bean that is a {@link DoorRule}, by its {@link Order}. What takes load off
 * the server comes first, what is about one client next, what says "never" last.
 */
@Configuration(proxyBeanMethods = false)
public class DoorConfiguration {
    /** The order of the rule that guards the server's resources. */
    public static final int RESOURCES = 100;
    /** The order of the rule that bounds the connections. */
    public static final int CONNECTIONS = 200;
    /** The order of rules about one client's rate. */
    public static final int RATES = 300;
    /** The order of the rule about a page's origin. */
    public static final int ORIGIN = 400;

    /** Before everything that costs: authentication is at -100. */
    private static final int BEFORE_ALL = -1000;

    @Bean
    @Order(BEFORE_ALL)
    Door door(ObjectProvider<DoorRule> rules, ClientAddresses addresses, Refusals refusals) {
        return new Door(rules.orderedStream().toList(), addresses, refusals);
    }

    @Bean
    Refusals refusals(ConnectionLimit connections, MeterRegistry registry) {
        return new Refusals(registry, new RefusalLog(connections, System::nanoTime));
    }
}
