package chat.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Stream;

/**
 * Finds RabbitMQ and Erlang on this machine.
 *
 * @param server the program that runs a node
 * @param ctl the program that controls it
 * @param epmd Erlang's port mapper
 */
record RabbitInstallation(Path server, Path ctl, Path epmd) {
    private static final String HOME = "CONFAB_RABBITMQ_HOME";
    private static final String ADVICE =
            "Install it (Debian, Ubuntu: apt-get install rabbitmq-server; macOS: brew install"
                    + " rabbitmq; else see https://www.rabbitmq.com/docs/download), or set " + HOME
                    + " to the directory of an unpacked one.";

    /** Debian's scripts come before its wrappers in /usr/sbin, which switch to another user. */
    private static final List<Path> USUAL = List.of(
            Path.of("/usr/lib/rabbitmq/bin"),
            Path.of("/opt/rabbitmq/sbin"),
            Path.of("/opt/homebrew/sbin"),
            Path.of("/opt/homebrew/bin"),
            Path.of("/usr/local/sbin"),
            Path.of("/usr/local/bin"),
            Path.of("/usr/sbin"),
            Path.of("/usr/bin"),
            Path.of("/usr/lib/erlang/bin"),
            Path.of("/usr/lib64/erlang/bin"),
            Path.of("/usr/local/lib/erlang/bin"));

    static RabbitInstallation find() {
        return find(System.getenv(), USUAL);
    }

    /** Searches only {@code CONFAB_RABBITMQ_HOME} if it is set, else the usual directories and {@code PATH}. */
    static RabbitInstallation find(Map<String, String> environment, List<Path> usual) {
        if (Processes.onWindows()) {
            throw new NodeException("Starting RabbitMQ is not supported on Windows: start one and give its address");
        }
        String home = environment.getOrDefault(HOME, "");
        SequencedSet<Path> everywhere = new LinkedHashSet<>(usual);
        SystemPath.directories(environment).forEach(everywhere::add);
        List<Path> places = home.isBlank()
                ? List.copyOf(everywhere)
                : List.of(Path.of(home, "sbin"), Path.of(home, "bin"), Path.of(home));
        Path scripts = places.stream()
                .filter(directory -> SystemPath.isProgram(directory.resolve("rabbitmq-server"))
                        && SystemPath.isProgram(directory.resolve("rabbitmqctl")))
                .filter(directory -> !isWrapper(directory.resolve("rabbitmq-server")))
                .findFirst()
                .orElseThrow(() -> new NodeException(
                        "RabbitMQ is not installed: no rabbitmq-server in " + join(places) + ". " + ADVICE));
        Path epmd = findEpmd(everywhere)
                .orElseThrow(() -> new NodeException("RabbitMQ is in " + scripts + ", but Erlang is not installed: no"
                        + " epmd in " + join(everywhere) + ". " + ADVICE));
        return new RabbitInstallation(scripts.resolve("rabbitmq-server"), scripts.resolve("rabbitmqctl"), epmd);
    }

    /** Erlang installs epmd beside erl, or only in its runtime's own directory, {@code erts-VERSION/bin}. */
    private static Optional<Path> findEpmd(SequencedSet<Path> places) {
        List<Path> candidates = new ArrayList<>();
        for (Path directory : places) {
            candidates.add(directory.resolve("epmd"));
            Path erl = directory.resolve("erl");
            if (SystemPath.isProgram(erl)) {
                try {
                    Path real = erl.toRealPath();
                    candidates.add(real.resolveSibling("epmd"));
                    try (Stream<Path> siblings =
                            Files.list(real.resolveSibling("..").normalize())) {
                        siblings.filter(sibling ->
                                        sibling.getFileName().toString().startsWith("erts-"))
                                .map(runtime -> runtime.resolve("bin/epmd"))
                                .forEach(candidates::add);
                    }
                } catch (IOException ignored) {
                    // Not readable: ignore it.
                }
            }
        }
        return candidates.stream().filter(SystemPath::isProgram).findFirst();
    }

    private static boolean isWrapper(Path file) {
        try {
            return file.toRealPath().getFileName().toString().equals("rabbitmq-script-wrapper");
        } catch (IOException ignored) {
            return true;
        }
    }

    private static String join(Iterable<Path> directories) {
        List<String> names = new ArrayList<>();
        directories.forEach(directory -> names.add(directory.toString()));
        return String.join(", ", names);
    }
}
