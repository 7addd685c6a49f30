package chat.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import chat.protocol.ClientFrame.Since;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameDecoderTest {
    private static final RoomId ROOM = new RoomId("7");
    private static final String WHO =
            "\"userId\":\"42\",\"username\":\"alice42\",\"timestamp\":\"2026-11-20T10:00:00Z\"";

    private final FrameDecoder decoder = new FrameDecoder(FrameRules.DEFAULT);

    @Test
    void readsJoinTextAndLeave() {
        String id = "01960000-0000-7000-8000-000000000001";
        assertThat(frame("{\"messageType\":\"JOIN\"," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.Now(), false));
        assertThat(frame("{\"messageType\":\"TEXT\",\"message\":\"hi\",\"messageId\":\"" + id + "\"," + WHO + "}"))
                .isEqualTo(new ClientFrame.Text(ROOM, alice(), UUID.fromString(id), "hi"));
        assertThat(frame("{" + WHO + ",\"messageType\":\"LEAVE\"}"))
                .isEqualTo(new ClientFrame.Leave(ROOM, alice(), null));
    }

    @Test
    void acceptsANumberAsUserIdAndIgnoresUnknownFields() {
        assertThat(frame("{\"messageType\":\"JOIN\",\"userId\":42,\"username\":\"alice42\","
                        + "\"timestamp\":\"2026-11-20T10:00:00+01:00\",\"device\":{\"os\":[1]}}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.Now(), false));
    }

    @Test
    void frameMayNameAnotherRoomThanThePath() {
        assertThat(frame("{\"messageType\":\"LEAVE\",\"roomId\":\"other\"," + WHO + "}")
                        .room())
                .isEqualTo(new RoomId("other"));
    }

    @Test
    void joinMayRequestResumeOrHistory() {
        assertThat(frame("{\"messageType\":\"JOIN\",\"resume\":\"9007199254740993\"," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.Resume(9007199254740993L), false));
        assertThat(frame("{\"messageType\":\"JOIN\",\"history\":50," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.History(50), false));
    }

    @Test
    void joinMayRequestStoredFrames() {
        assertThat(frame("{\"messageType\":\"JOIN\",\"stored\":true," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.Now(), true));
        assertThat(frame("{\"messageType\":\"JOIN\",\"stored\":false," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.Now(), false));
        assertThat(frame("{\"messageType\":\"JOIN\",\"history\":5,\"stored\":true," + WHO + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice(), null, new Since.History(5), true));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "null | null",
                "1 | a number",
                "\"true\" | a string",
                "{\"a\":[1]} | an object",
                "[true] | an array"
            })
    void storedMustBeTrueOrFalse(String value, String described) {
        assertThat(errors(decode("{\"messageType\":\"JOIN\",\"stored\":" + value + "," + WHO + "}")
                        .getFirst()))
                .containsExactly("stored must be true or false, not " + described);
    }

    @Test
    void arrayIsReadUpToAThousandObjects() {
        String join = "{\"messageType\":\"JOIN\"," + WHO + "}";
        assertThat(decode("[" + join + ",0".repeat(999) + "]")).hasSize(1000);
        List<Decoded> decoded = decode("[" + join + ",0".repeat(20_000) + "]");
        assertThat(decoded).hasSize(1001);
        assertThat(decoded.getFirst()).isInstanceOf(Decoded.Valid.class);
        assertThat(errors(decoded.getLast())).containsExactly("an array may contain at most 1000 objects: split it");
    }

    @Test
    void arrayObjectsAreDecodedInOrderAndIndependently() {
        List<Decoded> decoded = decode("[{\"messageType\":\"JOIN\"," + WHO + "},{\"messageType\":\"JOIN\"},5]");
        assertThat(decoded).hasSize(3);
        assertThat(decoded.get(0)).isInstanceOf(Decoded.Valid.class);
        assertThat(errors(decoded.get(1)))
                .containsExactlyInAnyOrder("userId is missing", "username is missing", "timestamp is missing");
        assertThat(errors(decoded.get(2))).containsExactly("an array must contain only JSON objects");
    }

    @Test
    void everyFaultOfAFrameIsReported() {
        String json = "{\"messageType\":\"TEXT\",\"userId\":\"0\",\"username\":\"a b\",\"message\":\"\","
                + "\"timestamp\":\"yesterday\",\"messageId\":\"5\"}";
        assertThat(errors(decode(json).getFirst()))
                .containsExactlyInAnyOrder(
                        "userId must be \"1\" to \"100000\"",
                        "username must be 3 to 20 characters of A-Z a-z 0-9",
                        "message must be 1 to 500 characters",
                        "timestamp must be ISO-8601 with an offset, such as 2026-11-20T10:00:00Z",
                        "messageId must be a UUID of 36 characters, of any version but 8; version 7 is recommended");
    }

    @Test
    void messageIdOfTheVersionOfDerivedIdsIsInvalid() {
        for (char version : "01234567".toCharArray())
            assertThat(withVersion(version)).isInstanceOf(Decoded.Valid.class);
        assertThat(errors(withVersion('8')))
                .containsExactly(
                        "messageId must be a UUID of 36 characters, of any version but 8; version 7 is recommended");
    }

    private Decoded withVersion(char version) {
        return decode("{\"messageType\":\"TEXT\",\"message\":\"hi\",\"messageId\":\"01960000-0000-" + version
                        + "000-8000-000000000001\"," + WHO + "}")
                .getFirst();
    }

    @Test
    void errorContainsTheIdOfTheRejectedMessage() {
        String id = "01960000-0000-7000-8000-000000000001";
        Decoded refused = decode("{\"messageType\":\"TEXT\",\"messageId\":\"" + id + "\"," + WHO + "}")
                .getFirst();
        assertThat(((Decoded.Refused) refused).error().messageId()).isEqualTo(UUID.fromString(id));
        assertThat(((Decoded.Refused) refused).error().room()).isEqualTo(ROOM);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "5",
                "\"text\"",
                "[]",
                "{",
                "{]",
                "{\"messageType\":\"TEXT\"",
                "{} {}",
                "{\"a\":NaN}",
                "{'a':1}",
                "[[[[[[[[[[[[]]]]]]]]]]]]",
                "{\"a\":1,\"a\":2}",
                "{\"messageType\":\"JOIN\"}x"
            })
    void textThatIsNotOneJsonValueIsRejected(String json) {
        List<Decoded> decoded = decode(json);
        assertThat(decoded).hasSize(1);
        assertThat(errors(decoded.getFirst())).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "messageType | 5 | messageType must be a JSON string, not a number",
                "messageType | \"NOPE\" | messageType must be TEXT, JOIN, LEAVE, MEMBERS or TOKEN",
                "userId | null | userId must be a JSON string, not null",
                "userId | 4.2 | userId must be a JSON string, not a number",
                "userId | true | userId must be a JSON string, not a boolean",
                "userId | \"042\" | userId must be \"1\" to \"100000\"",
                "userId | \"100001\" | userId must be \"1\" to \"100000\"",
                "userId | 99999999999999 | userId must be \"1\" to \"100000\"",
                "userId | -1 | userId must be \"1\" to \"100000\"",
                "username | \"ab\" | username must be 3 to 20 characters of A-Z a-z 0-9",
                "username | \"abcdefghijklmnopqrstu\" | username must be 3 to 20 characters of A-Z a-z 0-9",
                "username | \"älice\" | username must be 3 to 20 characters of A-Z a-z 0-9",
                "message | [] | message must be a JSON string, not an array",
                "message | \"a\\u0000b\" | message must not contain control characters other than \\n and \\t",
                "message | \"a\\ud800b\" | message must not contain an unpaired surrogate",
                "timestamp | \"2026-11-31T10:00:00Z\" | timestamp must be ISO-8601 with an offset, such as 2026-11-20T10:00:00Z",
                "timestamp | \"2026-11-20\" | timestamp must be ISO-8601 with an offset, such as 2026-11-20T10:00:00Z",
                "timestamp | \"1e400\" | timestamp must be ISO-8601 with an offset, such as 2026-11-20T10:00:00Z",
                "roomId | \"../x\" | roomId must be 1 to 64 characters of A-Z a-z 0-9 _ -",
                "roomId | {} | roomId must be a JSON string, not an object"
            })
    void errorOfABadFieldSaysWhatIsAccepted(String field, String value, String error) {
        StringBuilder json = new StringBuilder("{");
        String[][] defaults = {
            {"messageType", "\"TEXT\""},
            {"userId", "\"42\""},
            {"username", "\"alice42\""},
            {"message", "\"hi\""},
            {"timestamp", "\"2026-11-20T10:00:00Z\""},
            {"roomId", "\"7\""}
        };
        for (String[] entry : defaults) {
            json.append(json.length() > 1 ? "," : "")
                    .append('"')
                    .append(entry[0])
                    .append("\":");
            json.append(entry[0].equals(field) ? value : entry[1]);
        }
        assertThat(errors(decode(json.append('}').toString()).getFirst())).containsExactly(error);
    }

    @Test
    void lengthCountsCodePointsNotChars() {
        String fiveHundred = "😀".repeat(500);
        assertThat(frame("{\"messageType\":\"TEXT\",\"message\":\"" + fiveHundred + "\"," + WHO + "}"))
                .isInstanceOf(ClientFrame.Text.class);
        assertThat(errors(decode("{\"messageType\":\"TEXT\",\"message\":\"" + fiveHundred + "a\"," + WHO + "}")
                        .getFirst()))
                .containsExactly("message must be 1 to 500 characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"resume\":5",
                "\"resume\":\"-1\"",
                "\"resume\":\"99999999999999999999\"",
                "\"resume\":\"9999999999999999999\"",
                "\"history\":\"5\"",
                "\"history\":501",
                "\"history\":-1",
                "\"history\":5,\"resume\":\"5\""
            })
    void badResumeOrHistoryIsRejected(String field) {
        assertThat(errors(decode("{\"messageType\":\"JOIN\"," + field + "," + WHO + "}")
                        .getFirst()))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-20T10:00:00Z",
                "2026-11-20T10:00:00.123Z",
                "2026-11-20T10:00:00.123456789Z",
                "2026-11-30T10:00:00Z",
                "2024-02-29T23:59:59+14:00",
                "2026-11-20T10:00Z"
            })
    void iso8601TimesAreAccepted(String timestamp) {
        assertThat(frame("{\"messageType\":\"LEAVE\",\"userId\":\"42\",\"username\":\"alice42\",\"timestamp\":\""
                        + timestamp + "\"}"))
                .isInstanceOf(ClientFrame.Leave.class);
    }

    @Test
    void membersAreRequestedInPages() {
        String who = "\"userId\":\"42\",\"username\":\"alice42\"";
        assertThat(frame("{\"messageType\":\"MEMBERS\"," + who + "}"))
                .isEqualTo(new ClientFrame.Members(ROOM, alice(), null, null, 100));
        assertThat(frame("{\"messageType\":\"MEMBERS\"," + who + ",\"after\":\"7\",\"limit\":500}"))
                .isEqualTo(new ClientFrame.Members(ROOM, alice(), null, "7", 500));
        assertThat(frame("{\"messageType\":\"MEMBERS\"," + WHO + ",\"after\":99,\"limit\":1}"))
                .isEqualTo(new ClientFrame.Members(ROOM, alice(), null, "99", 1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"limit\":0",
                "\"limit\":501",
                "\"limit\":\"5\"",
                "\"limit\":1.5",
                "\"after\":\"\"",
                "\"after\":\"0\"",
                "\"after\":\"100001\"",
                "\"after\":null",
                "\"timestamp\":\"yesterday\""
            })
    void badMembersRequestIsRejected(String field) {
        String who = "\"userId\":\"42\",\"username\":\"alice42\"";
        assertThat(errors(decode("{\"messageType\":\"MEMBERS\"," + field + "," + who + "}")
                        .getFirst()))
                .hasSize(1);
    }

    @Test
    void frameOfAnAuthenticatedSessionMayOmitItsUser() {
        FrameDecoder.KnownSender known = new FrameDecoder.KnownSender("auth0|7", "alice42", "Alice Example");
        Member member = new Member("auth0|7", "alice42", "Alice Example");
        assertThat(speaking(
                        known, "{\"messageType\":\"TEXT\",\"message\":\"hi\",\"timestamp\":\"2026-11-20T10:00:00Z\"}"))
                .isEqualTo(new Decoded.Valid(new ClientFrame.Text(ROOM, member, null, "hi")));
        // The decoder accepts names as given; the session checks them.
        assertThat(speaking(known, "{\"messageType\":\"TEXT\",\"message\":\"hi\",\"displayName\":\"Bob\"," + WHO + "}"))
                .isEqualTo(
                        new Decoded.Valid(new ClientFrame.Text(ROOM, new Member("42", "alice42", "Bob"), null, "hi")));
        assertThat(errors(speaking(
                        known, "{\"messageType\":\"LEAVE\",\"userId\":\" a\",\"timestamp\":\"2026-11-20T10:00:00Z\"}")))
                .containsExactly(
                        "userId must be 1 to 128 printable ASCII characters, not beginning or ending with a space");
    }

    @Test
    void everyRoomFrameMayHaveADisplayName() {
        Member alice = new Member("42", "alice42", "Zo\u00eb \ud83d\ude00");
        String name = "\"displayName\":\"Zo\u00eb \\ud83d\\ude00\"," + WHO;
        assertThat(frame("{\"messageType\":\"JOIN\"," + name + "}"))
                .isEqualTo(new ClientFrame.Join(ROOM, alice, null, new Since.Now(), false));
        assertThat(frame("{\"messageType\":\"TEXT\",\"message\":\"hi\"," + name + "}"))
                .isEqualTo(new ClientFrame.Text(ROOM, alice, null, "hi"));
        assertThat(frame("{\"messageType\":\"LEAVE\"," + name + "}"))
                .isEqualTo(new ClientFrame.Leave(ROOM, alice, null));
        assertThat(frame("{\"messageType\":\"MEMBERS\"," + name + "}"))
                .isEqualTo(new ClientFrame.Members(ROOM, alice, null, null, 100));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"\" | displayName must be 1 to 64 characters, not 0",
                "\"\\u200b\" | displayName must contain at least one visible character",
                "\"a\\nb\" | displayName must not contain control characters or line breaks",
                "\"a\\ud800\" | displayName must not contain an unpaired surrogate",
                "null | displayName must be a JSON string, not null",
                "7 | displayName must be a JSON string, not a number"
            })
    void badDisplayNameIsRejectedWithTheReason(String value, String error) {
        assertThat(errors(decode("{\"messageType\":\"JOIN\",\"displayName\":" + value + "," + WHO + "}")
                        .getFirst()))
                .containsExactly(error);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "\\n", "\\u200b", "\\u2800", "\\u3164", "\\u00ad", "\\u180e", "\\udb40\\udc41"})
    void textOfOnlyInvisibleCharactersIsRejected(String blank) {
        assertThat(errors(decode("{\"messageType\":\"TEXT\",\"message\":\"" + blank + "\"," + WHO + "}")
                        .getFirst()))
                .containsExactly("message must contain at least one visible character");
    }

    @Test
    void standardContractAcceptsAnyIdLongTextsAndFramesWithoutUsername() {
        FrameDecoder standard = new FrameDecoder(FrameRules.of(Contract.STANDARD));
        String join =
                "{\"messageType\":\"JOIN\",\"userId\":\"auth0|\\\"7\\\"\",\"timestamp\":\"2026-11-20T10:00:00Z\"}";
        Decoded decoded =
                standard.decode(join.getBytes(StandardCharsets.UTF_8), ROOM).getFirst();
        Member member = new Member("auth0|\"7\"", Member.derivedUsername("auth0|\"7\""));
        assertThat(decoded)
                .isEqualTo(new Decoded.Valid(new ClientFrame.Join(ROOM, member, null, new Since.Now(), false)));
        for (int length : new int[] {4_000, 4_001}) {
            String text =
                    "{\"messageType\":\"TEXT\",\"message\":\"" + "\\ud83d\\ude00".repeat(length) + "\"," + WHO + "}";
            assertThat(standard.decode(text.getBytes(StandardCharsets.UTF_8), ROOM)
                            .getFirst())
                    .isInstanceOf(length <= FrameRules.LONGEST_TEXT ? Decoded.Valid.class : Decoded.Refused.class);
        }
    }

    private Decoded speaking(FrameDecoder.KnownSender known, String json) {
        return decoder.decode(json.getBytes(StandardCharsets.UTF_8), ROOM, known)
                .getFirst();
    }

    @Test
    void tokenFrameHasNoRoom() {
        assertThat(decode("{\"messageType\":\"TOKEN\",\"token\":\"a.b.c\"}").getFirst())
                .isEqualTo(new Decoded.Valid(new ClientFrame.Token("a.b.c")));
        assertThat(errors(decode("{\"messageType\":\"TOKEN\"}").getFirst())).containsExactly("token is missing");
        assertThat(new ClientFrame.Token("a.b.c").toString()).doesNotContain("a.b.c");
    }

    private static Member alice() {
        return new Member("42", "alice42");
    }

    private ClientFrame.InRoom frame(String json) {
        Decoded decoded = decode(json).getFirst();
        assertThat(decoded).isInstanceOf(Decoded.Valid.class);
        return (ClientFrame.InRoom) ((Decoded.Valid) decoded).frame();
    }

    private List<Decoded> decode(String json) {
        return decoder.decode(json.getBytes(StandardCharsets.UTF_8), ROOM);
    }

    private static List<String> errors(Decoded decoded) {
        assertThat(decoded).isInstanceOf(Decoded.Refused.class);
        return ((Decoded.Refused) decoded).error().errors();
    }
}
