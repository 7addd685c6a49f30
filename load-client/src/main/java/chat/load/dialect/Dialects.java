package chat.load.dialect;

import java.util.List;
import java.util.Optional;

/** Lists the supported kinds of chat server. */
public final class Dialects {
    /** Confab's own comes first. */
    private static final List<Dialect> ALL = List.of(new Confab(null), new SocketIo(), new Nats(), new Centrifugo());

    private Dialects() {}

    public static Dialect confab() {
        return ALL.getFirst();
    }

    /** Confab's protocol for servers that require tokens. */
    public static Dialect confab(Tokens tokens) {
        return new Confab(tokens);
    }

    public static Optional<Dialect> named(String name) {
        return ALL.stream().filter(dialect -> dialect.name().equals(name)).findFirst();
    }

    public static List<String> names() {
        return ALL.stream().map(Dialect::name).toList();
    }
}
