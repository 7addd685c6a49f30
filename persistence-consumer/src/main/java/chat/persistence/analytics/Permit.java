package chat.persistence.analytics;

import chat.kit.identity.Identity;
import chat.kit.identity.Role;
import chat.protocol.RoomId;
import java.util.Map;

/** Callers that may send a query. */
enum Permit {
    /** About a room: callers that may join it, and analysts. */
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
    /** About everything: analysts. */
    ANALYST {
        @Override
        boolean allows(Identity caller, Map<String, String> path) {
            return isAnalyst(caller);
        }
    };

    /** @param path path variables, by their name in the template */
    abstract boolean allows(Identity caller, Map<String, String> path);

    private static boolean isAnalyst(Identity caller) {
        return caller.role().mayAct(Role.ANALYST);
    }
}
