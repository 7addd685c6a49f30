package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.protocol.ErrorCode;
import chat.server.intake.IntakeCounters;
import chat.server.room.RoomCounters;
import java.time.Clock;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Clients that use an id twice, through two servers on one log. */
class SentAgainIT {
    private final InMemoryRoomLog log = new InMemoryRoomLog(4, 64 << 20, Clock.systemUTC());
    private final TestServer here = TestServer.start(log, "chat.server.id=here");
    private final TestServer there = TestServer.start(log, "chat.server.id=there");

    @AfterEach
    void stop() {
        here.close();
        there.close();
        log.close();
    }

    private static void awaitAcks(Guest guest, int count) {
        guest.await(count + " ACKs", () -> guest.frames("ACK").size() == count);
    }

    @Test
    void afterALostConnectionTheSameTextHasItsFirstPositionOnAnyServer() {
        try (Guest witness = Guest.connect(there, "lobby", 9)) {
            witness.joined();
            UUID id;
            long position;
            long seen;
            try (Guest anna = Guest.connect(here, "lobby", 1)) {
                anna.joined();
                id = anna.text("once");
                anna.awaitAck(id);
                anna.text("once", id);
                awaitAcks(anna, 2);
                position = anna.acks().getOrDefault(id.toString(), -1L);
                seen = anna.position();
                assertThat(anna.frames("ACK").getLast().get("position").asString())
                        .isEqualTo(Long.toString(position));
                anna.abort();
            }
            try (Guest anna = Guest.connect(there, "lobby", 1)) {
                anna.resume(seen);
                anna.text("once", id);
                anna.awaitAck(id);
                assertThat(anna.acks()).containsEntry(id.toString(), position);
                anna.text("after");
                witness.awaitText("after");
                assertThat(witness.texts()).containsOnlyOnce("once");
                assertThat(anna.texts()).doesNotContain("once");
            }
            assertThat(there.bean(RoomCounters.class).acknowledgedAgain.sum()).isEqualTo(1);
            assertThat(there.bean(RoomCounters.class).repeated.sum()).isZero();
        }
    }

    @Test
    void otherTextUnderAUsedIdIsAConflict() {
        try (Guest anna = Guest.connect(here, "lobby", 1);
                Guest again = Guest.connect(there, "lobby", 1)) {
            anna.joined();
            again.joined();
            UUID id = anna.text("mine");
            again.awaitText("mine");
            again.text("other", id);
            JsonNode error = again.error();
            assertThat(error.get("code").asString()).isEqualTo("CONFLICT");
            assertThat(error.get("number").asInt()).isEqualTo(105);
            assertThat(error.get("roomId").asString()).isEqualTo("lobby");
            assertThat(error.get("messageId").asString()).isEqualTo(id.toString());
            assertThat(error.get("retryable").asBoolean()).isFalse();
            assertThat(error.get("retryAfterMs").isNull()).isTrue();
            again.text("after");
            anna.awaitText("after");
            assertThat(anna.texts()).containsExactly("mine", "after");
            assertThat(again.acks()).doesNotContainKey(id.toString());
            assertThat(there.bean(IntakeCounters.class)
                            .byCode(ErrorCode.CONFLICT)
                            .sum())
                    .isEqualTo(1);
            assertThat(there.bean(RoomCounters.class).conflicts.sum()).isEqualTo(1);
        }
    }

    @Test
    void conflictingLeaveKeepsTheMember() {
        try (Guest anna = Guest.connect(here, "lobby", 1)) {
            anna.joined();
            UUID id = anna.text("mine");
            anna.awaitAck(id);
            anna.say("{\"messageType\":\"LEAVE\",\"messageId\":\"" + id + "\"," + anna.identity() + "}");
            assertThat(anna.error().get("code").asString()).isEqualTo("CONFLICT");
            anna.awaitAck(anna.text("still here"));
            anna.awaitAck(anna.leave());
        }
    }
}
