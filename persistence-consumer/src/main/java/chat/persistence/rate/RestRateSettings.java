package chat.persistence.rate;

import chat.kit.admission.ClientAddresses;
import chat.kit.admission.Networks;
import chat.kit.admission.Rate;
import java.util.List;

/**
 * How often each client address may ask over REST, an IPv6 one by its first 64 bits.
 *
 * @param perSecond sustained; 0: as often as one likes
 * @param burst at once after a pause, at least 1
 * @param maxKeys addresses that are known at once, 16 to 10,000,000
 * @param exempt networks that may ask as often as they like, such as the chat servers'
 * @param trustedProxies networks of the proxies that are believed about whom they have a request from; none:
 *     {@code X-Forwarded-For} is not looked at
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
