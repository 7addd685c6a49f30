package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.List;

/**
 * Changes of a room's members since its last notification, other than announced JOINs and LEAVEs.
 *
 * @param members number of members now
 * @param joined members that have joined
 * @param left members that have left
 * @param more whether names are missing in the lists
 */
public record PresenceUpdate(RoomId room, int members, List<Member> joined, List<Member> left, boolean more) {}
