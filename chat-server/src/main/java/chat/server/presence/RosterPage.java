package chat.server.presence;

import chat.protocol.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the members of a room, ascending by userId as a number.
 *
 * @param members of the room in all
 * @param next the userId to go on after; null: these were the last
 */
public record RosterPage(
        int members, List<Member> roster, @Nullable String next) {}
