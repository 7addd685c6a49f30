package chat.log;

import chat.protocol.MessageType;
import chat.protocol.RoomId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/**
 * The messages of one room in one entry, read in place without copying. Methods take a message's index within the
 * segment, from 0; its index in the entry is {@link #firstIndex} higher.
 */
public final class Segment {
    /** Layout of a message's facts: 16 bytes id, 1 type, 8 timestamp, 4 JSON length, then address and user. */
    static final int JSON_LENGTH_AT = 16 + 1 + 8;

    static final int TYPE_AT = 16;
    static final int TIMESTAMP_AT = 17;
    private static final int ADDRESS_AT = JSON_LENGTH_AT + 4;

    private final RoomId room;
    private final int firstIndex;
    private final byte[] bytes;
    private final ByteBuffer buffer;
    private final int[] factsAt;
    private final int[] jsonAt;

    Segment(RoomId room, int firstIndex, byte[] bytes, int[] factsAt, int[] jsonAt) {
        this.room = room;
        this.firstIndex = firstIndex;
        this.bytes = bytes;
        this.buffer = ByteBuffer.wrap(bytes);
        this.factsAt = factsAt;
        this.jsonAt = jsonAt;
    }

    public RoomId room() {
        return room;
    }

    /** The index of its first message in the entry. */
    public int firstIndex() {
        return firstIndex;
    }

    public int size() {
        return factsAt.length;
    }

    public long idHigh(int i) {
        return buffer.getLong(factsAt[i]);
    }

    public long idLow(int i) {
        return buffer.getLong(factsAt[i] + 8);
    }

    public UUID messageId(int i) {
        return new UUID(idHigh(i), idLow(i));
    }

    public MessageType type(int i) {
        return MessageType.ofCode(bytes[factsAt[i] + TYPE_AT]);
    }

    /** The time of the server that accepted the message, in milliseconds since 1970. */
    public long timestamp(int i) {
        return buffer.getLong(factsAt[i] + TIMESTAMP_AT);
    }

    /** The address in 4 or 16 bytes; empty if unknown. */
    public byte[] clientAddress(int i) {
        int at = factsAt[i] + ADDRESS_AT;
        return Arrays.copyOfRange(bytes, at + 1, at + 1 + (bytes[at] & 0xff));
    }

    public String userId(int i) {
        int start = userStart(i);
        return new String(bytes, start, userEnd(i) - start, StandardCharsets.US_ASCII);
    }

    /** Where the userId of message i starts in {@link #array}, in ASCII. */
    public int userStart(int i) {
        int address = factsAt[i] + ADDRESS_AT;
        return address + 1 + (bytes[address] & 0xff) + 1;
    }

    public int userEnd(int i) {
        int start = userStart(i);
        return start + (bytes[start - 1] & 0xff);
    }

    public byte[] json(int i) {
        return Arrays.copyOfRange(bytes, jsonAt[i], jsonEnd(i));
    }

    /**
     * The array that holds all messages, with their JSON at {@link #jsonStart} to {@link #jsonEnd}. Do not modify it.
     */
    public byte[] array() {
        return bytes;
    }

    /** Where the JSON of message i starts. A comma separates it from the next message. */
    public int jsonStart(int i) {
        return jsonAt[i];
    }

    public int jsonEnd(int i) {
        return jsonAt[i + 1] - 1;
    }
}
