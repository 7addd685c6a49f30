package chat.server.door;

import chat.server.limit.DoorRule;
import chat.server.limit.Refusal;
import chat.server.limit.Visit;
import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Pages of other sites may not open sockets in their visitors' name. Browsers say where a page is from, and other programs
 * need not: this protects users, not the server.
 */
public final class OriginRule implements DoorRule {
    private static final Refusal FOREIGN = Refusal.forbidden("origin");

    private final Set<String> allowed;

    /** @param allowed compared as they are, such as {@code https://chat.example} */
    public OriginRule(Collection<String> allowed) {
        this.allowed = Set.copyOf(allowed);
    }

    @Override
    public @Nullable Refusal refuses(Visit visit) {
        String origin = visit.headers().value("Origin");
        if (origin == null || allowed.contains(origin) || isOwn(origin, visit)) return null;
        return FOREIGN;
    }

    @Override
    public List<String> reasons() {
        return List.of(FOREIGN.reason());
    }

    private static boolean isOwn(String origin, Visit visit) {
        try {
            String host = visit.headers().value("Host");
            return host != null && host.equals(URI.create(origin).getAuthority());
        } catch (IllegalArgumentException notAnOrigin) {
            return false;
        }
    }
}
