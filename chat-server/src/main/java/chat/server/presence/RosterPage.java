package chat.server.presence;

import chat.protocol.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of the members of a room, in the numeric order of their userIds.
 *
 * @param members number of all members of the room
 * @param roster the members on this page
 * @param next the userId after which the next page starts; null: this is the last page
 */
public record RosterPage(
        int members, List<Member> roster, @Nullable String next) {}
