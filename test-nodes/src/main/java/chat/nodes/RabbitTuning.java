package chat.nodes;

import java.util.List;
import java.util.stream.Stream;

/**
 * Describes how a RabbitMQ node differs from a usual one, for measurements.
 *
 * @param plugins plugins to enable, with their dependencies, such as {@code rabbitmq_stream}
 * @param configuration lines of {@code rabbitmq.conf}, after the default ones
 * @param advanced Erlang terms of {@code advanced.config}, one for each application: {@code {rabbit, [...]}}
 * @param erlang arguments of the Erlang VM, after the default ones; the last of several equal options applies
 */
public record RabbitTuning(List<String> plugins, List<String> configuration, List<String> advanced, String erlang) {
    public static final RabbitTuning USUAL = new RabbitTuning(List.of(), List.of(), List.of(), "");

    public RabbitTuning {
        plugins = List.copyOf(plugins);
        configuration = List.copyOf(configuration);
        advanced = List.copyOf(advanced);
    }

    /** Returns a tuning that also serves the stream protocol, on this port of 127.0.0.1. */
    public RabbitTuning withStreamPort(int port) {
        return new RabbitTuning(
                List.of("rabbitmq_stream"),
                List.of(
                        "stream.listeners.tcp.local = 127.0.0.1:" + port,
                        "stream.advertised_host = 127.0.0.1",
                        "stream.advertised_port = " + port),
                advanced,
                erlang);
    }

    /** Returns a tuning with additional lines of {@code rabbitmq.conf}. */
    RabbitTuning withConfiguration(List<String> lines) {
        return new RabbitTuning(
                plugins, Stream.concat(configuration.stream(), lines.stream()).toList(), advanced, erlang);
    }

    public RabbitTuning withAdvanced(String... terms) {
        return new RabbitTuning(plugins, configuration, List.of(terms), erlang);
    }

    public RabbitTuning withErlang(String arguments) {
        return new RabbitTuning(plugins, configuration, advanced, arguments);
    }
}
