package chat.persistence.rate;

import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.kit.admission.Rate;
import java.util.List;

/**
 * REST rate limit of each client address; IPv6 addresses count by their first 64 bits.
 *
 * @param perSecond sustained requests per second; 0: no limit
 * @param burst requests at once after a pause, at least 1
 * @param maxKeys maximum number of addresses tracked at once, 16 to 10,000,000
 * @param exempt networks without a limit, such as the chat servers'
 * @param trustedProxies networks of the proxies whose {@code X-Forwarded-For} is trusted; empty: the header is ignored
 */
public record RestRateSettings(
        double perSecond, int burst, int maxKeys, List<String> exempt, List<String> trustedProxies) {
    private static final int MOST_KEYS = 10_000_000;

    public RestRateSettings {
        Rate unusedRate = new Rate(perSecond, burst);
        if (maxKeys < 16 || maxKeys > MOST_KEYS)
            throw new IllegalArgumentException("max-keys must be 16 to 10000000, not " + maxKeys);
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
