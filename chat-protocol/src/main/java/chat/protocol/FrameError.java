package chat.protocol;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One refused frame, as the client will read it.
 *
 * @param errors every fault that was found, each naming what is wrong and what is accepted; never empty
 * @param retryAfterMs when to try again, or null where the code is not retryable
 */
public record FrameError(
        ErrorCode code,
        @Nullable RoomId room,
        @Nullable UUID messageId,
        List<String> errors,
        @Nullable Integer retryAfterMs) {

    public static FrameError invalid(@Nullable RoomId room, @Nullable UUID messageId, List<String> errors) {
        return new FrameError(ErrorCode.INVALID, room, messageId, List.copyOf(errors), null);
    }

    public static FrameError of(ErrorCode code, ClientFrame.InRoom frame, String error) {
        return new FrameError(code, frame.room(), frame.messageId(), List.of(error), null);
    }

    public static FrameError forbidden(RoomId room, String error) {
        return new FrameError(ErrorCode.FORBIDDEN, room, null, List.of(error), null);
    }

    public static FrameError conflict(RoomId room, @Nullable UUID messageId) {
        return new FrameError(
                ErrorCode.CONFLICT,
                room,
                messageId,
                List.of("messageId was used before, for something else: every message needs its own"),
                null);
    }

    /** @param errors which rate, and how it is */
    public static FrameError rateLimited(ClientFrame.InRoom frame, String errors, int retryAfterMs) {
        return new FrameError(ErrorCode.RATE_LIMITED, frame.room(), frame.messageId(), List.of(errors), retryAfterMs);
    }

    public static FrameError unavailable(RoomId room, @Nullable UUID messageId, int retryAfterMs) {
        return new FrameError(
                ErrorCode.UNAVAILABLE,
                room,
                messageId,
                List.of("the message log can't be reached now; nothing was sent"),
                retryAfterMs);
    }
}
