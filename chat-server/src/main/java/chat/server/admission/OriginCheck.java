package chat.server.admission;

import chat.kit.admission.HostPort;
import chat.kit.admission.WebOrigin;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rejects WebSockets from pages of other sites. Browsers send the page's origin, other programs need not: the check
 * protects users from foreign pages, not the server.
 */
public final class OriginCheck implements HandshakeRule {
    private static final String REASON = "origin";
    private static final int LONGEST_SHOWN = 200;

    private final Set<WebOrigin> allowed;

    /**
     * @param allowed origins such as {@code https://chat.example}
     * @throws IllegalArgumentException names a value that is not an origin
     */
    public OriginCheck(Collection<String> allowed) {
        this.allowed = WebOrigin.allOf(allowed);
    }

    @Override
    public @Nullable Rejection check(HandshakeRequest request) {
        String text = request.headers().value("Origin");
        if (text == null) return null;
        WebOrigin origin = WebOrigin.parse(text);
        if (origin != null && (allowed.contains(origin) || isOwn(origin, request))) return null;
        String shown = text.length() <= LONGEST_SHOWN ? text : text.substring(0, LONGEST_SHOWN);
        return Rejection.forbidden(REASON)
                .with("the origin " + shown + " is neither this server's own nor in CHAT_SERVER_ALLOWED_ORIGINS"
                        + " (chat.server.allowed-origins)");
    }

    @Override
    public List<String> reasons() {
        return List.of(REASON);
    }

    private static boolean isOwn(WebOrigin origin, HandshakeRequest request) {
        String host = request.headers().value("Host");
        HostPort own = host == null ? null : HostPort.parse(host);
        return own != null && origin.isOf(own);
    }
}
