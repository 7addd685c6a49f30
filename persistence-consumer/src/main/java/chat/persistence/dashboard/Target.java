package chat.persistence.dashboard;

import java.net.URI;
import org.jspecify.annotations.Nullable;

/** A server that is asked, and what is remembered of it. Asked once at a time. */
final class Target {
    final String name;
    final URI management;
    final Window window = new Window();
    /** Milliseconds since 1970 of its last answer; null: it has never answered. */
    volatile @Nullable Long asOf;

    Target(String name, URI management) {
        this.name = name;
        this.management = management;
    }
}
