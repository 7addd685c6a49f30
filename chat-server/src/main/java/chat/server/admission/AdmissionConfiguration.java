package chat.server.admission;

import chat.kit.admission.ClientAddresses;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * The door and its rules in their order: every bean that is a {@link HandshakeRule}, by its {@link Order}. What takes load off
 * the server comes first, what is about one client next, what says "never" last.
 */
@Configuration(proxyBeanMethods = false)
public class AdmissionConfiguration {
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
    HandshakeAdmission door(ObjectProvider<HandshakeRule> rules, ClientAddresses addresses, Rejections refusals) {
        return new HandshakeAdmission(rules.orderedStream().toList(), addresses, refusals);
    }

    @Bean
    Rejections refusals(ConnectionLimit connections, MeterRegistry registry) {
        return new Rejections(registry, new RejectionLog(connections, System::nanoTime));
    }
}
