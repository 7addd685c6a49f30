package chat.protocol;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Describes a rejected frame for the client.
 *
 * @param errors every fault found, each stating what is wrong and what is accepted; never empty
 * @param retryAfterMs when to retry, or null if the code is not retryable
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
                List.of("messageId was already used for another message: every message needs its own"),
                null);
    }

    /** @param errors which rate limit, and its value */
    public static FrameError rateLimited(ClientFrame.InRoom frame, String errors, int retryAfterMs) {
        return new FrameError(ErrorCode.RATE_LIMITED, frame.room(), frame.messageId(), List.of(errors), retryAfterMs);
    }

    public static FrameError unavailable(RoomId room, @Nullable UUID messageId, int retryAfterMs) {
        return new FrameError(
                ErrorCode.UNAVAILABLE,
                room,
                messageId,
                List.of("the message log is unavailable; nothing was sent"),
                retryAfterMs);
    }
}
