package chat.persistence.dashboard;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Resolves one configured address to servers: one, or all current addresses of its host name. Keeps the readings of
 * known servers while they stay among the addresses. One request at a time.
 */
final class Targets {
    private final ServerAddress address;
    private final HostNames names;
    private final Duration timeout;
    private volatile Map<String, Target> known;

    /** Resolves host names; blocking. The JVM caches a result for 30 s. */
    @FunctionalInterface
    interface HostNames {
        HostNames SYSTEM = InetAddress::getAllByName;

        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    Targets(ServerAddress address, HostNames names, Duration timeout) {
        this.address = address;
        this.names = names;
        this.timeout = timeout;
        this.known =
                address.each() ? Map.of() : Map.of(address.name(), new Target(address.name(), address.management()));
    }

    ServerAddress address() {
        return address;
    }

    /** In the order of their names; an error if the name has no address. */
    Mono<List<Target>> now() {
        if (!address.each()) return Mono.just(List.copyOf(known.values()));
        return Mono.fromCallable(this::lookUp)
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(timeout);
    }

    private List<Target> lookUp() throws UnknownHostException {
        Map<String, Target> before = known;
        Map<String, Target> now = new LinkedHashMap<>();
        Arrays.stream(names.addressesOf(address.management().getHost()))
                .map(this::hostAndPort)
                .sorted()
                .distinct()
                .limit(DashboardSettings.MAX_SERVERS)
                .forEach(name -> {
                    Target same = before.get(name);
                    now.put(name, same != null ? same : new Target(name, URI.create("http://" + name)));
                });
        known = now;
        return List.copyOf(now.values());
    }

    private String hostAndPort(InetAddress host) {
        String literal = host.getHostAddress();
        return (host instanceof Inet6Address ? "[" + literal.replaceFirst("%.*", "") + "]" : literal) + ":"
                + address.management().getPort();
    }
}
