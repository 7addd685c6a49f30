package chat.persistence.analytics;

import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.protocol.RoomId;
import java.util.Map;

/** Who may ask a question. */
enum Permit {
    /** About a room: who may join it, and analysts. */
    ROOM {
        @Override
        boolean allows(Identity caller, Map<String, String> path) {
            String room = path.getOrDefault(HistoryRequest.ROOM, "");
            return isAnalyst(caller) || (RoomId.isValid(room) && caller.rooms().mayJoin(new RoomId(room)));
        }
    },
    /** About a user: the user, and analysts. */
    USER {
        @Override
        boolean allows(Identity caller, Map<String, String> path) {
            return isAnalyst(caller) || caller.userId().equals(path.get("userId"));
        }
    },
    /** About everything. */
    ANALYST {
        @Override
        boolean allows(Identity caller, Map<String, String> path) {
            return isAnalyst(caller);
        }
    };

    /** @param path what stands in the path, by the name in its template */
    abstract boolean allows(Identity caller, Map<String, String> path);

    private static boolean isAnalyst(Identity caller) {
        return caller.role().mayAct(Role.ANALYST);
    }
}
