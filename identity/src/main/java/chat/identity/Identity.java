package chat.identity;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Who somebody is, as a token has shown, and for how long that holds.
 *
 * @param userId as {@link chat.protocol.Member#isUserId} wants it
 * @param username null: it chooses one itself
 * @param role over REST
 * @param expiresAt the token's end, as its maker has written
 * @param validUntil until then the token counts, as clocks differ: not before expiresAt
 */
public record Identity(
        String userId, @Nullable String username, RoomRights rooms, Role role, Instant expiresAt, Instant validUntil) {}
