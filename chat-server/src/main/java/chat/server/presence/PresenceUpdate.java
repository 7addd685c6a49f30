package chat.server.presence;

import chat.protocol.Member;
import chat.protocol.RoomId;
import java.util.List;

/**
 * What a room is told of its members besides single JOINs and LEAVEs.
 *
 * @param members of the room now
 * @param joined who is there now and was not told to be
 * @param left who is not there any more and was not told to have left
 * @param more whether there were more names than are listed
 */
public record PresenceUpdate(RoomId room, int members, List<Member> joined, List<Member> left, boolean more) {}
