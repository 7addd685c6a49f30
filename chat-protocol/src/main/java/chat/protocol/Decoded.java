package chat.protocol;

/** Represents the result of decoding one JSON object of a frame. */
public sealed interface Decoded {
    record Valid(ClientFrame frame) implements Decoded {}

    record Refused(FrameError error) implements Decoded {}
}
