package chat.nodes;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Configures a RabbitMQ node.
 *
 * @param directory directory of the node's data, log, configuration and cookie; created if missing, kept afterwards
 * @param name the first part of the node's name, {@code name@localhost}; nodes of equal names do not disturb each
 *     other, but the data belongs to the name
 * @param port AMQP port on 127.0.0.1; the same after a restart
 * @param memoryBytes memory at which the broker blocks publishers
 * @param tuning differences from the usual configuration
 * @param progress receives, on the caller's thread, short messages about what is being waited for
 */
public record RabbitSettings(
        Path directory, String name, int port, long memoryBytes, RabbitTuning tuning, Consumer<String> progress) {
    private static final long DEFAULT_MEMORY = 1L << 30;

    public RabbitSettings {
        if (!name.matches("[a-z][a-z0-9_-]{0,30}")) {
            throw new IllegalArgumentException(
                    "a node's name must be 1 to 31 of a-z, 0-9, _ and -, starting with a letter, not " + name);
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535");
        }
        if (memoryBytes < 64L << 20) {
            throw new IllegalArgumentException("memoryBytes must be at least 64 MiB");
        }
    }

    /** Returns settings for a usual node "confab" on a free port with 1 GiB, without progress messages. */
    public static RabbitSettings in(Path directory) {
        return new RabbitSettings(directory, "confab", Ports.free(), DEFAULT_MEMORY, RabbitTuning.USUAL, ignored -> {});
    }

    public RabbitSettings withName(String name) {
        return new RabbitSettings(directory, name, port, memoryBytes, tuning, progress);
    }

    public RabbitSettings withPort(int port) {
        return new RabbitSettings(directory, name, port, memoryBytes, tuning, progress);
    }

    public RabbitSettings withTuning(RabbitTuning tuning) {
        return new RabbitSettings(directory, name, port, memoryBytes, tuning, progress);
    }

    public RabbitSettings withProgress(Consumer<String> progress) {
        return new RabbitSettings(directory, name, port, memoryBytes, tuning, progress);
    }
}
