package chat.persistence.rate;

import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.kit.admission.Rate;
import java.util.List;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * REST rate limit of each client address; IPv6 addresses count by their first 64 bits.
 *
 * @param perSecond sustained requests per second; 0: unlimited
 * @param burst requests at once after a pause, at least 1
 * @param exempt networks without a limit, such as the chat servers'
 * @param trustedProxies networks of proxies whose {@code X-Forwarded-For} is read
 */
public record RestRateSettings(
        @DefaultValue("0") double perSecond,
        @DefaultValue("50") int burst,
        @DefaultValue List<String> exempt,
        @DefaultValue List<String> trustedProxies) {
    public RestRateSettings {
        Rate unusedRate = new Rate(perSecond, burst);
        Networks unusedExempt = Networks.of(exempt);
        Networks unusedProxies = Networks.of(trustedProxies);
        exempt = List.copyOf(exempt);
        trustedProxies = List.copyOf(trustedProxies);
    }

    Rate rate() {
        return new Rate(perSecond, burst);
    }

    Networks exemptNetworks() {
        return Networks.of(exempt);
    }

    ClientAddresses addresses() {
        return new ClientAddresses(Networks.of(trustedProxies));
    }
}
