package chat.server.admission;

import chat.kit.admission.AddressRate;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How often each client address may ask for a socket: too often is a 429. */
public final class AddressRateRule implements HandshakeRule {
    /** As often as one likes. */
    public static final AddressRateRule NONE = new AddressRateRule(null);

    /** Why it refuses, as metrics name it. */
    public static final String REASON = "rate";

    private final @Nullable AddressRate rate;

    /** @param rate null: as often as one likes */
    public AddressRateRule(@Nullable AddressRate rate) {
        this.rate = rate;
    }

    @Override
    public @Nullable Rejection refuses(HandshakeRequest visit) {
        InetAddress client = visit.client();
        if (rate == null || client == null) return null;
        long seconds = rate.secondsUntilAdmitted(client);
        return seconds == 0 ? null : Rejection.tooMany(Duration.ofSeconds(seconds), REASON);
    }

    @Override
    public List<String> reasons() {
        return rate == null ? List.of() : List.of(REASON);
    }

    public long admitted() {
        return rate == null ? 0 : rate.admitted();
    }

    public long refused() {
        return rate == null ? 0 : rate.refused();
    }

    /** Addresses that are known, about. */
    public long keys() {
        return rate == null ? 0 : rate.keys();
    }

    /** Addresses that were forgotten before their time, since there were too many. */
    public long evicted() {
        return rate == null ? 0 : rate.evicted();
    }
}
