package chat.server.admission;

import chat.kit.admission.AddressRate;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Limits how often each client address may open a WebSocket; requests above the rate get a 429. */
public final class AddressRateRule implements HandshakeRule {
    /** No limit. */
    public static final AddressRateRule NONE = new AddressRateRule(null);

    /** The reason in metrics and responses. */
    public static final String REASON = "rate";

    private final @Nullable AddressRate rate;

    /** @param rate null: no limit */
    public AddressRateRule(@Nullable AddressRate rate) {
        this.rate = rate;
    }

    @Override
    public @Nullable Rejection check(HandshakeRequest request) {
        InetAddress client = request.client();
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

    public long rejected() {
        return rate == null ? 0 : rate.refused();
    }

    /** Addresses with a bucket, approximately. */
    public long keys() {
        return rate == null ? 0 : rate.keys();
    }

    /** Addresses whose buckets were evicted because there were too many. */
    public long evicted() {
        return rate == null ? 0 : rate.evicted();
    }
}
