package chat.kit.identity;

import java.time.Instant;

/**
 * Represents a user authenticated by a token.
 *
 * @param userId satisfies {@link chat.protocol.Member#isUserId}
 * @param username from the token, or derived from the id
 * @param displayName chosen by the issuer
 * @param role role for REST
 * @param expiresAt expiry of the token
 * @param validUntil when the server stops accepting the token: expiresAt plus the tolerance for clock differences
 */
public record Identity(
        String userId,
        String username,
        String displayName,
        RoomRights rooms,
        Role role,
        Instant expiresAt,
        Instant validUntil) {}
