package chat.persistence.dashboard;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A server to read, with its last readings. One request at a time. */
final class Target {
    final String name;
    final URI management;
    final Window window = new Window();
    /** Milliseconds since 1970 of its last response; null: it has never answered. */
    volatile @Nullable Long asOf;

    Target(String name, URI management) {
        this.name = name;
        this.management = management;
    }
}
