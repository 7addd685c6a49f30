package chat.server.admission;

import chat.kit.admission.ClientAddresses;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Wires the handshake filter and its rules: every {@link HandshakeRule} bean, sorted by its {@link Order}. Rules that
 * protect the server come first, rules about one client next, rules that reject permanently last.
 */
@Configuration(proxyBeanMethods = false)
public class AdmissionConfiguration {
    /** The order of the overload guard. */
    public static final int OVERLOAD = 100;
    /** The order of the connection limit. */
    public static final int CONNECTIONS = 200;
    /** The order of the rate limit of each client address. */
    public static final int RATES = 300;
    /** The order of the origin check. */
    public static final int ORIGIN = 400;

    /** Before all expensive filters: authentication is at -100. */
    private static final int FIRST = -1000;

    @Bean
    @Order(FIRST)
    HandshakeAdmission handshakeAdmission(
            ObjectProvider<HandshakeRule> rules, ClientAddresses addresses, Rejections rejections) {
        return new HandshakeAdmission(rules.orderedStream().toList(), addresses, rejections);
    }

    @Bean
    Rejections rejections(ConnectionLimit connections, MeterRegistry registry) {
        return new Rejections(registry, new RejectionLog(connections, System::nanoTime));
    }
}
