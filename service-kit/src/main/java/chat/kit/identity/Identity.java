package chat.kit.identity;

import java.time.Instant;

/**
 * Who somebody is, as a token has shown, and for how long that holds.
 *
 * @param userId as {@link chat.protocol.Member#isUserId} wants it
 * @param username of the token, or made from the id
 * @param displayName shown to people; chosen by the issuer
 * @param role over REST
 * @param expiresAt the token's end, as its maker has written
 * @param validUntil until then the token counts, as clocks differ: not before expiresAt
 */
public record Identity(
        String userId,
        String username,
        String displayName,
        RoomRights rooms,
        Role role,
        Instant expiresAt,
        Instant validUntil) {}
