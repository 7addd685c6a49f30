package chat.persistence.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TargetsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private List<String> addresses = List.of();

    private final Targets targets =
            new Targets(ServerAddress.parse("all=dns+http://chat-servers:9080"), this::lookUp, TIMEOUT);

    private InetAddress[] lookUp(String host) throws UnknownHostException {
        if (addresses.isEmpty()) throw new UnknownHostException(host);
        InetAddress[] found = new InetAddress[addresses.size()];
        for (int i = 0; i < found.length; i++) found[i] = InetAddress.getByName(addresses.get(i));
        return found;
    }

    private List<Target> now() {
        return Objects.requireNonNull(targets.now().block(TIMEOUT));
    }

    @Test
    void eachAddressIsAServer() {
        addresses = List.of("10.0.0.9", "10.0.0.5", "10.0.0.9", "fd00::5");
        assertThat(now())
                .extracting(target -> target.name)
                .containsExactly("10.0.0.5:9080", "10.0.0.9:9080", "[fd00:0:0:0:0:0:0:5]:9080");
        assertThat(now())
                .extracting(target -> target.management.toString())
                .contains("http://[fd00:0:0:0:0:0:0:5]:9080");
    }

    @Test
    void presentTargetsAreKeptAndAbsentOnesRemoved() {
        addresses = List.of("10.0.0.5", "10.0.0.6");
        Target stays = now().getFirst();
        addresses = List.of("10.0.0.7", "10.0.0.5");
        assertThat(now()).extracting(target -> target.name).containsExactly("10.0.0.5:9080", "10.0.0.7:9080");
        assertThat(now().getFirst()).isSameAs(stays);
        addresses = List.of("10.0.0.6");
        assertThat(now()).hasSize(1);
        addresses = List.of("10.0.0.5");
        assertThat(now().getFirst()).isNotSameAs(stays);
    }

    @Test
    void nameWithoutAddressesIsAnError() {
        assertThatThrownBy(() -> targets.now().block(TIMEOUT)).hasRootCauseInstanceOf(UnknownHostException.class);
    }

    @Test
    void addressWithoutDnsIsOneServer() {
        Targets one = new Targets(ServerAddress.parse("a=http://chat-servers:9080"), this::lookUp, TIMEOUT);
        assertThat(one.now().block(TIMEOUT)).hasSize(1);
    }
}
