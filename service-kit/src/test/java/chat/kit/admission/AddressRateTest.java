package chat.kit.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRateTest {
    private final SteppedMeter meter = new SteppedMeter();

    private static InetAddress address(String literal) {
        return InetAddress.ofLiteral(literal);
    }

    private int admitted(AddressRate rate, String address, int times) {
        int admitted = 0;
        for (int i = 0; i < times; i++) if (rate.nanosUntilAdmitted(address(address)) == 0) admitted++;
        return admitted;
    }

    @Test
    void burstIsAdmittedThenOneAtATime() {
        AddressRate rate = new AddressRate(new Rate(2, 3), 100, meter);
        assertThat(admitted(rate, "192.0.2.1", 10)).isEqualTo(3);
        assertThat(rate.nanosUntilAdmitted(address("192.0.2.1"))).isEqualTo(500_000_000);
        assertThat(rate.secondsUntilAdmitted(address("192.0.2.1"))).isEqualTo(1);
        assertThat(admitted(rate, "192.0.2.2", 1)).as("another has its own").isEqualTo(1);
        meter.step(Duration.ofMillis(500));
        assertThat(admitted(rate, "192.0.2.1", 10)).isEqualTo(1);
        assertThat(rate.admitted()).isEqualTo(5);
        assertThat(rate.refused()).isEqualTo(18);
    }

    @Test
    void ipv6AddressesOfOnePrefixShareABucket() {
        AddressRate rate = new AddressRate(new Rate(1, 4), 100, meter);
        int admitted = 0;
        for (int i = 1; i < 100; i++) admitted += admitted(rate, "2001:db8:0:7::" + Integer.toHexString(i), 1);
        assertThat(admitted).isEqualTo(4);
        assertThat(admitted(rate, "2001:db8:0:8::1", 1)).isEqualTo(1);
    }

    @Test
    void returningClientFindsItsBucketUnchanged() {
        AddressRate rate = new AddressRate(new Rate(1, 10), 100, meter);
        assertThat(admitted(rate, "192.0.2.1", 20)).isEqualTo(10);
        meter.step(Duration.ofMillis(9_500));
        assertThat(admitted(rate, "192.0.2.1", 20)).isEqualTo(9);
        meter.step(Duration.ofSeconds(60));
        assertThat(admitted(rate, "192.0.2.1", 20)).isEqualTo(10);
    }

    @Test
    void fullBucketsAreEvicted() {
        AddressRate rate = new AddressRate(new Rate(1, 10), 100_000, meter);
        for (int i = 0; i < 1000; i++) admitted(rate, "10.0." + i / 256 + "." + i % 256, 1);
        assertThat(rate.keys()).isEqualTo(1000);
        meter.step(Duration.ofSeconds(11));
        for (int i = 0; i < 100; i++) admitted(rate, "192.0.2.1", 1);
        assertThat(rate.keys()).isEqualTo(1);
        assertThat(rate.evicted()).isZero();
    }

    /** The attack: evict one's own bucket by using other addresses, then return to a full one. */
    @Test
    void evictingBucketsGainsNoTokens() {
        AddressRate rate = new AddressRate(new Rate(1, 5), 50, meter);
        int admitted = 0;
        for (int round = 0; round < 100; round++) {
            admitted += admitted(rate, "192.0.2.1", 1);
            for (int i = 0; i < 100; i++) admitted(rate, "10." + round + ".0." + i, 1);
        }
        assertThat(rate.evicted()).isPositive();
        assertThat(rate.keys()).isLessThan(200);
        assertThat(admitted).isLessThanOrEqualTo(5);
        meter.step(Duration.ofSeconds(10));
        assertThat(admitted(rate, "203.0.113.1", 10)).as("once it is over").isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.001, 0.5, 3.7, 300, 600, 1_000_000})
    void anyRateIsKept(double perSecond) {
        AddressRate rate = new AddressRate(new Rate(perSecond, 1), 10, meter);
        InetAddress client = address("192.0.2.1");
        assertThat(rate.nanosUntilAdmitted(client)).isZero();
        for (int i = 0; i < 1000; i++) {
            long nanos = rate.nanosUntilAdmitted(client);
            assertThat((double) nanos).isBetween(1e9 / perSecond * 0.999 - 1, 1e9 / perSecond * 1.001 + 1);
            // Exact to a nanosecond, rounded.
            meter.step(Duration.ofNanos(nanos + 1));
            assertThat(rate.nanosUntilAdmitted(client)).as("as it was told").isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"-1, 1", "0.0001, 1", "1000001, 1", "NaN, 1", "1, 0", "1, 1000001"})
    void nonsenseIsRefused(double perSecond, int burst) {
        assertThatThrownBy(() -> new Rate(perSecond, burst)).isInstanceOf(IllegalArgumentException.class);
    }
}
