package chat.kit.identity.token;

import chat.kit.identity.Identity;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

/** Represents an authenticated user; the only authority is the role. Does not keep the token. */
public final class KnownAuthentication extends AbstractAuthenticationToken {
    private static final long serialVersionUID = 1;

    private final transient Identity identity;

    KnownAuthentication(Identity identity) {
        super(AuthorityUtils.createAuthorityList(identity.role().name()));
        this.identity = identity;
        setAuthenticated(true);
    }

    public Identity identity() {
        return identity;
    }

    @Override
    public Object getPrincipal() {
        return identity.userId();
    }

    @Override
    public Object getCredentials() {
        return "";
    }
}
