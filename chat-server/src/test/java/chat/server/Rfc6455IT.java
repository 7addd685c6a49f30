package chat.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import chat.log.InMemoryRoomLog;
import chat.server.session.SessionCounters;
import chat.testing.LogWatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RFC 6455 frame by frame. Numbers are those of the cases of the Autobahn test suite, groups 1 to 7 and 10, which expects
 * an echo where this server answers each message with an ERROR or refuses it: a message of a single JSON string is
 * refused, which proves that it was received whole.
 */
class Rfc6455IT {
    private static InMemoryRoomLog log;
    private static TestServer server;
    private static Bystanders bystanders;
    private static LogWatch complaints;

    @BeforeAll
    static void start() {
        log = new InMemoryRoomLog(1, 64 << 20, Clock.systemUTC());
        server = TestServer.start(log);
        bystanders = new Bystanders(server, "room");
        complaints = LogWatch.begin();
    }

    @AfterAll
    static void nobodyElseHasNoticed() throws InterruptedException {
        try (LogWatch watch = complaints) {
            bystanders.assertUndisturbed();
            server.close();
            log.close();
            watch.assertQuiet();
        }
    }

    /** An action of a client on a new socket. */
    interface Deed {
        void doneBy(RawSocket raw) throws IOException;
    }

    /**
     * @param outcome what the server sends: M for the answer to a message, P and the payload for a pong, and at last the
     *     close code; without one the socket stays open
     */
    record Case(String name, Deed deed, String outcome) {
        @Override
        public String toString() {
            return name;
        }
    }

    @ParameterizedTest
    @MethodSource({"sizes", "pings", "reserved", "fragments", "utf8", "closing", "lengths"})
    void isAnsweredAsTheRfcWants(Case one) throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.sendLeniently(() -> one.deed().doneBy(raw));
            List<String> outcome = new ArrayList<>();
            List<String> wanted =
                    one.outcome().isEmpty() ? List.of() : List.of(one.outcome().split(" ", -1));
            while (outcome.size() < wanted.size() && (outcome.isEmpty() || !isClose(outcome.getLast())))
                outcome.add(next(raw));
            // The answer to a message may be overtaken by the end that the next frame brings.
            if (wanted.equals(List.of("M", "1002")) && outcome.size() == 1) outcome.addFirst("M");
            assertThat(outcome).isEqualTo(wanted);
            if (!wanted.isEmpty() && isClose(wanted.getLast())) {
                raw.sendLeniently(raw::finish);
                assertThat(raw.isAtEnd()).as("closed, and nothing behind").isTrue();
            } else {
                raw.send(true, RawSocket.PING, bytes("still open?"));
                assertThat(next(raw)).isEqualTo("P" + hex("still open?"));
            }
        }
    }

    private static boolean isClose(String outcome) {
        return outcome.matches("\\d{4}");
    }

    private static String next(RawSocket raw) throws IOException {
        RawSocket.Frame frame = raw.read();
        return switch (frame.opcode()) {
            case RawSocket.TEXT -> {
                assertThat(new String(frame.payload(), UTF_8)).contains("\"code\":\"INVALID\"");
                yield "M";
            }
            case RawSocket.PONG -> "P" + HexFormat.of().formatHex(frame.payload());
            case RawSocket.CLOSE -> Integer.toString(frame.closeCode());
            default -> throw new AssertionError("opcode " + frame.opcode());
        };
    }

    static Stream<Case> sizes() {
        List<Case> cases = new ArrayList<>();
        int[] sizes = {0, 125, 126, 127, 128, 65_535, 65_536};
        for (int i = 0; i < sizes.length; i++) {
            byte[] message = letters(sizes[i]);
            cases.add(new Case("1.1." + (i + 1) + " text of " + message.length, raw -> text(raw, true, message), "M"));
            cases.add(new Case(
                    "1.2." + (i + 1) + " binary of " + message.length,
                    raw -> raw.send(true, RawSocket.BINARY, message),
                    "1003"));
        }
        cases.add(new Case(
                "1.1.8 text of 65536 in chops of 997", raw -> raw.sendChopped(textFrame(letters(65_536)), 997), "M"));
        cases.add(new Case(
                "1.2.8 binary of 65536 in chops of 997",
                raw -> raw.sendChopped(RawSocket.frame(true, 0, RawSocket.BINARY, true, letters(65_536)), 997),
                "1003"));
        cases.add(new Case(
                "10.1.1 text of 65536 in fragments of 1300",
                raw -> {
                    byte[] message = letters(65_536);
                    for (int at = 0; at < message.length; at += 1300) {
                        int end = Math.min(message.length, at + 1300);
                        raw.send(
                                end == message.length,
                                at == 0 ? RawSocket.TEXT : RawSocket.CONTINUATION,
                                Arrays.copyOfRange(message, at, end));
                    }
                },
                "M"));
        return cases.stream();
    }

    static Stream<Case> pings() {
        byte[] binary = {0, (byte) 0xff, (byte) 0xfe, (byte) 0xfd, (byte) 0xfc, (byte) 0xfb, 0, (byte) 0xff};
        byte[] largest = new byte[125];
        Arrays.fill(largest, (byte) 0xfe);
        StringBuilder ten = new StringBuilder();
        for (int i = 0; i < 10; i++) ten.append(i == 0 ? "" : " ").append("P").append(hex("payload-" + i));
        return Stream.of(
                new Case("2.1 empty ping", raw -> ping(raw, new byte[0]), "P"),
                new Case("2.2 ping with text", raw -> ping(raw, bytes("Hello, world!")), "P" + hex("Hello, world!")),
                new Case(
                        "2.3 ping with bytes that are no UTF-8",
                        raw -> ping(raw, binary),
                        "P" + HexFormat.of().formatHex(binary)),
                new Case(
                        "2.4 ping of 125 bytes",
                        raw -> ping(raw, largest),
                        "P" + HexFormat.of().formatHex(largest)),
                new Case("2.5 ping of 126 bytes", raw -> ping(raw, new byte[126]), "1002"),
                new Case(
                        "2.6 ping of 125 bytes, byte by byte",
                        raw -> raw.sendChopped(RawSocket.frame(true, 0, RawSocket.PING, true, largest), 1),
                        "P" + HexFormat.of().formatHex(largest)),
                new Case("2.7 empty pong nobody asked for", raw -> raw.send(true, RawSocket.PONG, new byte[0]), ""),
                new Case("2.8 pong nobody asked for", raw -> raw.send(true, RawSocket.PONG, bytes("unsolicited")), ""),
                new Case(
                        "2.9 pong nobody asked for, then a ping",
                        raw -> {
                            raw.send(true, RawSocket.PONG, bytes("unsolicited"));
                            ping(raw, bytes("ping"));
                        },
                        "P" + hex("ping")),
                new Case("2.10 ten pings", Rfc6455IT::tenPings, ten.toString()),
                new Case(
                        "2.11 ten pings, byte by byte",
                        raw -> {
                            for (int i = 0; i < 10; i++)
                                raw.sendChopped(
                                        RawSocket.frame(true, 0, RawSocket.PING, true, bytes("payload-" + i)), 1);
                        },
                        ten.toString()),
                new Case("pong of 126 bytes", raw -> raw.send(true, RawSocket.PONG, new byte[126]), "1002"),
                new Case("unmasked ping", raw -> raw.send(true, 0, RawSocket.PING, false, new byte[0]), "1002"),
                new Case("unmasked pong", raw -> raw.send(true, 0, RawSocket.PONG, false, new byte[0]), "1002"),
                new Case("unmasked close", raw -> raw.send(true, 0, RawSocket.CLOSE, false, new byte[0]), "1002"),
                new Case("unmasked text", raw -> raw.send(true, 0, RawSocket.TEXT, false, bytes("\"\"")), "1002"),
                new Case("unmasked empty text", raw -> raw.send(true, 0, RawSocket.TEXT, false, new byte[0]), "1002"),
                new Case(
                        "unmasked continuation",
                        raw -> {
                            text(raw, false, bytes("\""));
                            raw.send(true, 0, RawSocket.CONTINUATION, false, bytes("\""));
                        },
                        "1002"),
                new Case("unmasked binary", raw -> raw.send(true, 0, RawSocket.BINARY, false, new byte[1]), "1002"));
    }

    private static void tenPings(RawSocket raw) throws IOException {
        for (int i = 0; i < 10; i++) ping(raw, bytes("payload-" + i));
    }

    static Stream<Case> reserved() {
        List<Case> cases = new ArrayList<>();
        for (int bits = 1; bits <= 7; bits++) {
            int reserved = bits;
            cases.add(new Case(
                    "3." + bits + " reserved bits " + bits + " behind a good message",
                    raw -> {
                        text(raw, true, bytes("\"good\""));
                        raw.send(true, reserved, RawSocket.TEXT, true, bytes("\"bad\""));
                        ping(raw, new byte[0]);
                    },
                    "M 1002"));
            for (int opcode : new int[] {RawSocket.BINARY, RawSocket.PING, RawSocket.PONG, RawSocket.CLOSE})
                cases.add(new Case(
                        "reserved bits " + bits + " with opcode " + opcode,
                        raw -> raw.send(true, reserved, opcode, true, new byte[0]),
                        "1002"));
            cases.add(new Case(
                    "reserved bits " + bits + " on a continuation",
                    raw -> {
                        text(raw, false, bytes("\""));
                        raw.send(true, reserved, RawSocket.CONTINUATION, true, bytes("\""));
                    },
                    "1002"));
        }
        int[] opcodes = {3, 4, 5, 6, 7, 11, 12, 13, 14, 15};
        for (int i = 0; i < opcodes.length; i++) {
            int opcode = opcodes[i];
            String number = "4." + (opcode < 8 ? 1 : 2) + "." + (i % 5 + 1);
            cases.add(new Case(number + " opcode " + opcode, raw -> raw.send(true, opcode, new byte[0]), "1002"));
            cases.add(new Case(
                    number + " opcode " + opcode + " with a payload",
                    raw -> raw.send(true, opcode, bytes("reserved")),
                    "1002"));
            cases.add(new Case(
                    number + " opcode " + opcode + " behind a good message, byte by byte",
                    raw -> {
                        text(raw, true, bytes("\"good\""));
                        raw.sendChopped(RawSocket.frame(true, 0, opcode, true, bytes("reserved")), 1);
                        ping(raw, new byte[0]);
                    },
                    "M 1002"));
            cases.add(new Case(
                    number + " opcode " + opcode + " not final", raw -> raw.send(false, opcode, new byte[0]), "1002"));
            cases.add(new Case(
                    number + " opcode " + opcode + " within a message",
                    raw -> {
                        text(raw, false, bytes("\""));
                        raw.send(true, opcode, new byte[0]);
                    },
                    "1002"));
        }
        return cases.stream();
    }

    static Stream<Case> fragments() {
        byte[] open = bytes("\"frag");
        byte[] end = bytes("ment\"");
        return Stream.of(
                new Case("5.1 ping in two fragments", raw -> twoFragments(raw, RawSocket.PING), "1002"),
                new Case("5.2 pong in two fragments", raw -> twoFragments(raw, RawSocket.PONG), "1002"),
                new Case("close in two fragments", raw -> twoFragments(raw, RawSocket.CLOSE), "1002"),
                new Case(
                        "5.3 text in two fragments",
                        raw -> {
                            text(raw, false, open);
                            more(raw, true, end);
                        },
                        "M"),
                new Case(
                        "5.4 text in two fragments, in chops of 3",
                        raw -> raw.sendChopped(
                                join(
                                        fragment(false, RawSocket.TEXT, open),
                                        fragment(true, RawSocket.CONTINUATION, end)),
                                3),
                        "M"),
                new Case(
                        "5.5 text in two fragments, byte by byte",
                        raw -> raw.sendChopped(
                                join(
                                        fragment(false, RawSocket.TEXT, open),
                                        fragment(true, RawSocket.CONTINUATION, end)),
                                1),
                        "M"),
                new Case(
                        "5.6 ping between two fragments",
                        raw -> {
                            text(raw, false, open);
                            ping(raw, bytes("ping"));
                            more(raw, true, end);
                        },
                        "P" + hex("ping") + " M"),
                new Case(
                        "5.7 ping between two fragments, in chops of 3",
                        raw -> raw.sendChopped(
                                join(
                                        fragment(false, RawSocket.TEXT, open),
                                        fragment(true, RawSocket.PING, bytes("ping")),
                                        fragment(true, RawSocket.CONTINUATION, end)),
                                3),
                        "P" + hex("ping") + " M"),
                new Case(
                        "5.8 ping between two fragments, byte by byte",
                        raw -> raw.sendChopped(
                                join(
                                        fragment(false, RawSocket.TEXT, open),
                                        fragment(true, RawSocket.PING, bytes("ping")),
                                        fragment(true, RawSocket.CONTINUATION, end)),
                                1),
                        "P" + hex("ping") + " M"),
                new Case(
                        "5.9 final continuation of nothing",
                        raw -> {
                            more(raw, true, open);
                            text(raw, true, open);
                        },
                        "1002"),
                new Case(
                        "5.10 final continuation of nothing, in chops of 3",
                        raw -> raw.sendChopped(join(fragment(true, RawSocket.CONTINUATION, open), textFrame(open)), 3),
                        "1002"),
                new Case(
                        "5.11 final continuation of nothing, byte by byte",
                        raw -> raw.sendChopped(join(fragment(true, RawSocket.CONTINUATION, open), textFrame(open)), 1),
                        "1002"),
                new Case(
                        "5.12 continuation of nothing",
                        raw -> {
                            more(raw, false, open);
                            text(raw, true, open);
                        },
                        "1002"),
                new Case(
                        "5.13 continuation of nothing, in chops of 3",
                        raw -> raw.sendChopped(join(fragment(false, RawSocket.CONTINUATION, open), textFrame(open)), 3),
                        "1002"),
                new Case(
                        "5.14 continuation of nothing, byte by byte",
                        raw -> raw.sendChopped(join(fragment(false, RawSocket.CONTINUATION, open), textFrame(open)), 1),
                        "1002"),
                new Case(
                        "5.15 continuation behind a complete message",
                        raw -> {
                            text(raw, false, open);
                            more(raw, true, end);
                            more(raw, false, open);
                            text(raw, true, open);
                        },
                        "M 1002"),
                new Case(
                        "5.16 continuation of nothing, then a message, twice",
                        raw -> {
                            for (int i = 0; i < 2; i++) {
                                more(raw, false, open);
                                text(raw, false, open);
                                more(raw, true, end);
                            }
                        },
                        "1002"),
                new Case(
                        "5.17 final continuation of nothing, then a message, twice",
                        raw -> {
                            for (int i = 0; i < 2; i++) {
                                more(raw, true, open);
                                text(raw, false, open);
                                more(raw, true, end);
                            }
                        },
                        "1002"),
                new Case(
                        "5.18 text within a text",
                        raw -> {
                            text(raw, false, open);
                            text(raw, true, end);
                        },
                        "1002"),
                new Case(
                        "text that begins within a text",
                        raw -> {
                            text(raw, false, open);
                            text(raw, false, end);
                        },
                        "1002"),
                new Case(
                        "binary within a text",
                        raw -> {
                            text(raw, false, open);
                            raw.send(true, RawSocket.BINARY, end);
                        },
                        "1002"),
                new Case(
                        "text within a binary",
                        raw -> {
                            raw.send(false, RawSocket.BINARY, open);
                            text(raw, true, end);
                        },
                        "1003"),
                new Case(
                        "5.19 pings between five fragments",
                        Rfc6455IT::fiveFragments,
                        "P" + hex("1") + " P" + hex("2") + " M"),
                new Case(
                        "5.20 pings between five fragments, in one segment",
                        raw -> raw.sendBytes(join(
                                fragment(false, RawSocket.TEXT, open),
                                fragment(false, RawSocket.CONTINUATION, open2()),
                                fragment(true, RawSocket.PING, bytes("1")),
                                fragment(false, RawSocket.CONTINUATION, open2()),
                                fragment(false, RawSocket.CONTINUATION, open2()),
                                fragment(true, RawSocket.PING, bytes("2")),
                                fragment(true, RawSocket.CONTINUATION, end))),
                        "P" + hex("1") + " P" + hex("2") + " M"),
                new Case(
                        "empty fragments around a message",
                        raw -> {
                            text(raw, false, new byte[0]);
                            more(raw, false, bytes("\"a"));
                            more(raw, false, new byte[0]);
                            more(raw, false, bytes("b\""));
                            more(raw, true, new byte[0]);
                        },
                        "M"),
                new Case(
                        "only empty fragments",
                        raw -> {
                            text(raw, false, new byte[0]);
                            more(raw, false, new byte[0]);
                            more(raw, true, new byte[0]);
                        },
                        "M"),
                new Case(
                        "a close between fragments is answered",
                        raw -> {
                            text(raw, false, open);
                            close(raw, 1000, "");
                        },
                        "1000"),
                new Case("a thousand fragments of a byte", raw -> manyFragments(raw, 1_000, letters(1)), "M"),
                new Case(
                        "a thousand and one fragments of a byte", raw -> manyFragments(raw, 1_001, letters(1)), "1008"),
                new Case(
                        "a hundred thousand fragments of a byte",
                        raw -> manyFragments(raw, 100_000, letters(1)),
                        "1008"),
                new Case("a hundred thousand empty fragments", raw -> manyFragments(raw, 100_000, new byte[0]), "1008"),
                new Case(
                        "fragments of 70,000 bytes together",
                        raw -> {
                            text(raw, false, letters(35_000));
                            more(raw, true, letters(35_000));
                        },
                        "1009"),
                new Case(
                        "ten thousand pings at once",
                        raw -> raw.sendBytes(repeated(fragment(true, RawSocket.PING, new byte[0]), 10_000)),
                        pongs(100) + " 1008"),
                new Case(
                        "ten thousand pongs at once",
                        raw -> raw.sendBytes(repeated(fragment(true, RawSocket.PONG, bytes("x")), 10_000)),
                        "1008"));
    }

    private static byte[] open2() {
        return bytes(" more");
    }

    private static void fiveFragments(RawSocket raw) throws IOException {
        text(raw, false, bytes("\"frag"));
        more(raw, false, open2());
        ping(raw, bytes("1"));
        more(raw, false, open2());
        more(raw, false, open2());
        ping(raw, bytes("2"));
        more(raw, true, bytes("ment\""));
    }

    private static void twoFragments(RawSocket raw, int opcode) throws IOException {
        raw.send(false, opcode, bytes("frag"));
        more(raw, true, bytes("ment"));
    }

    private static void manyFragments(RawSocket raw, int count, byte[] payload) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < count; i++)
            all.writeBytes(fragment(i == count - 1, i == 0 ? RawSocket.TEXT : RawSocket.CONTINUATION, payload));
        raw.sendBytes(all.toByteArray());
    }

    private static String pongs(int count) {
        return "P ".repeat(count).strip();
    }

    /** Sequences that are UTF-8 are received, whole, in fragments and byte by byte; all others are not. */
    static Stream<Case> utf8() {
        List<Case> cases = new ArrayList<>();
        String[] valid = {
            "6.2.1 cebae1bdb9cf83cebcceb5", // kosme
            "6.5.1 00",
            "6.5.2 7f",
            "6.5.3 c280",
            "6.5.4 dfbf",
            "6.5.5 e0a080",
            "6.6.2 cebae1bdb9cf83cebc",
            "6.6.5 cebae1bdb9",
            "6.6.11 f0908080",
            "6.7.1 00",
            "6.7.2 c280",
            "6.7.3 e0a080",
            "6.7.4 f0908080",
            "6.9.1 7f",
            "6.9.2 dfbf",
            "6.9.3 efbfbf",
            "6.9.4 f48fbfbf",
            "6.11.1 ed9fbf",
            "6.11.2 ee8080",
            "6.11.3 efbfbd",
            "6.11.4 f48fbfbf",
            "6.22.1 efbfbe",
            "6.22.2 efbfbf",
            "6.22.3 f09fbfbe",
            "6.22.4 f09fbfbf",
            "6.22.17 f3bfbfbe",
            "6.22.34 f48fbfbf",
            "6.23.1 efbfb9",
            "6.23.4 efbfbc",
            "6.23.7 efbfbf"
        };
        for (String row : valid) {
            byte[] text = HexFormat.of().parseHex(row.substring(row.indexOf(' ') + 1));
            cases.add(new Case(row, raw -> text(raw, true, text), "M"));
            cases.add(new Case(row + ", a fragment for each byte", raw -> eachByte(raw, text), "M"));
            cases.add(new Case(row + ", byte by byte", raw -> raw.sendChopped(textFrame(text), 1), "M"));
        }
        String[] invalid = {
            "6.3.1 cebae1bdb9cf83cebcceb5eda080656469746564",
            "6.4.1 cebae1bdb9cf83cebcceb5f4908080656469746564",
            "6.6.1 ce",
            "6.6.3 cebae1",
            "6.6.4 cebae1bd",
            "6.6.6 cebae1bdb9cf",
            "6.8.1 f888808080",
            "6.8.2 fc8480808080",
            "6.10.1 f7bfbfbf",
            "6.10.2 fbbfbfbfbf",
            "6.10.3 fdbfbfbfbfbf",
            "6.11.5 f4908080",
            "6.12.1 80",
            "6.12.2 bf",
            "6.12.3 80bf",
            "6.12.4 80bf80",
            "6.12.5 80bf80bf",
            "6.12.8 80bf80bf80bf80",
            "6.13.1 c020c120c220df20",
            "6.13.2 e020e120ef20",
            "6.13.3 f020f120f720",
            "6.13.4 f820f920fb20",
            "6.13.5 fc20fd20",
            "6.14.1 c0",
            "6.14.2 e080",
            "6.14.3 f08080",
            "6.14.4 f8808080",
            "6.14.5 fc80808080",
            "6.14.6 df",
            "6.14.7 efbf",
            "6.14.8 f7bfbf",
            "6.14.9 fbbfbfbf",
            "6.14.10 fdbfbfbfbf",
            "6.15.1 c0e080f08080f8808080fc80808080dfefbff7bfbffbbfbfbffdbfbfbfbf",
            "6.16.1 fe",
            "6.16.2 ff",
            "6.16.3 fefeffff",
            "6.17.1 c0af",
            "6.17.2 e080af",
            "6.17.3 f08080af",
            "6.17.4 f8808080af",
            "6.17.5 fc80808080af",
            "6.18.1 c1bf",
            "6.18.2 e09fbf",
            "6.18.3 f08fbfbf",
            "6.18.4 f887bfbfbf",
            "6.18.5 fc83bfbfbfbf",
            "6.19.1 c080",
            "6.19.2 e08080",
            "6.19.3 f0808080",
            "6.19.4 f880808080",
            "6.19.5 fc8080808080",
            "6.20.1 eda080",
            "6.20.2 edadbf",
            "6.20.3 edae80",
            "6.20.4 edafbf",
            "6.20.5 edb080",
            "6.20.6 edbe80",
            "6.20.7 edbfbf",
            "6.21.1 eda080edb080",
            "6.21.2 eda080edbfbf",
            "6.21.3 edadbfedb080",
            "6.21.4 edadbfedbfbf",
            "6.21.5 edae80edb080",
            "6.21.6 edae80edbfbf",
            "6.21.7 edafbfedb080",
            "6.21.8 edafbfedbfbf"
        };
        for (String row : invalid) {
            byte[] text = HexFormat.of().parseHex(row.substring(row.indexOf(' ') + 1));
            cases.add(new Case(row, raw -> text(raw, true, text), "1007"));
            cases.add(new Case(row + ", a fragment for each byte", raw -> eachByte(raw, text), "1007"));
            cases.add(new Case(row + ", byte by byte", raw -> raw.sendChopped(textFrame(text), 1), "1007"));
            cases.add(new Case(
                    row + ", as the reason of a close",
                    raw -> raw.send(true, RawSocket.CLOSE, join(new byte[] {0x03, (byte) 0xe8}, text)),
                    "1007"));
        }
        byte[] kosme = HexFormat.of().parseHex("cebae1bdb9cf83cebcceb5");
        byte[] surrogate = HexFormat.of().parseHex("f4908080");
        cases.add(new Case("6.1.1 empty message", raw -> text(raw, true, new byte[0]), "M"));
        cases.add(new Case(
                "6.1.2 three empty fragments",
                raw -> {
                    text(raw, false, new byte[0]);
                    more(raw, false, new byte[0]);
                    more(raw, true, new byte[0]);
                },
                "M"));
        cases.add(new Case(
                "6.1.3 a fragment between two empty ones",
                raw -> {
                    text(raw, false, new byte[0]);
                    more(raw, false, bytes("middle frame payload"));
                    more(raw, true, new byte[0]);
                },
                "M"));
        cases.add(new Case(
                "6.2.2 two fragments, cut between characters",
                raw -> {
                    text(raw, false, bytes("Hello-µ@ß"));
                    more(raw, true, bytes("öäüàá-UTF-8!!"));
                },
                "M"));
        cases.add(new Case(
                "6.2.3 a character over two fragments, ping between",
                raw -> {
                    text(raw, false, Arrays.copyOf(kosme, 3));
                    ping(raw, bytes("between"));
                    more(raw, true, Arrays.copyOfRange(kosme, 3, kosme.length));
                },
                "P" + hex("between") + " M"));
        cases.add(new Case(
                "6.3.2 the bad byte in the second of three fragments",
                raw -> {
                    text(raw, false, kosme);
                    more(raw, false, HexFormat.of().parseHex("eda080"));
                    more(raw, true, bytes("edited"));
                },
                "1007"));
        cases.add(new Case(
                "6.4.1 refused at the bad fragment, not at the end",
                raw -> {
                    text(raw, false, kosme);
                    more(raw, false, surrogate);
                },
                "1007"));
        cases.add(new Case(
                "6.4.2 refused where it cannot become good",
                raw -> {
                    text(raw, false, join(kosme, new byte[] {(byte) 0xf4}));
                    more(raw, false, new byte[] {(byte) 0x90});
                },
                "1007"));
        return cases.stream();
    }

    static Stream<Case> closing() {
        List<Case> cases = new ArrayList<>(List.of(
                new Case(
                        "7.1.1 a message, then a close",
                        raw -> {
                            text(raw, true, bytes("\"x\""));
                            close(raw, 1000, "");
                        },
                        "M 1000"),
                new Case(
                        "7.1.2 two closes",
                        raw -> {
                            close(raw, 1000, "");
                            close(raw, 1000, "");
                        },
                        "1000"),
                new Case(
                        "7.1.3 a ping behind a close",
                        raw -> {
                            close(raw, 1000, "");
                            ping(raw, new byte[0]);
                        },
                        "1000"),
                new Case(
                        "7.1.4 a message behind a close",
                        raw -> {
                            close(raw, 1000, "");
                            text(raw, true, bytes("\"x\""));
                        },
                        "1000"),
                new Case(
                        "7.1.5 a fragment, a close, the other fragment",
                        raw -> {
                            text(raw, false, bytes("\"x"));
                            close(raw, 1000, "");
                            more(raw, true, bytes("\""));
                        },
                        "1000"),
                new Case(
                        "7.1.6 a message that is too big, a close, a ping",
                        raw -> {
                            text(raw, true, letters(262_144));
                            close(raw, 1000, "");
                            ping(raw, new byte[0]);
                        },
                        "1009"),
                new Case("7.3.1 a close without a code", raw -> raw.send(true, RawSocket.CLOSE, new byte[0]), "1005"),
                new Case("7.3.2 a close with half a code", raw -> raw.send(true, RawSocket.CLOSE, new byte[1]), "1002"),
                new Case("7.3.3 a close with a code", raw -> close(raw, 1000, ""), "1000"),
                new Case("7.3.4 a close with a reason", raw -> close(raw, 1000, "Hello World!"), "1000"),
                new Case("7.3.5 a close with the longest reason", raw -> close(raw, 1000, "*".repeat(123)), "1000"),
                new Case("7.3.6 a close with too long a reason", raw -> close(raw, 1000, "*".repeat(124)), "1002"),
                new Case(
                        "7.5.1 a close with a reason that is no UTF-8",
                        raw -> raw.send(
                                true,
                                RawSocket.CLOSE,
                                HexFormat.of().parseHex("03e8cebae1bdb9cf83cebcceb5eda080656469746564")),
                        "1007")));
        int[] valid = {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999};
        for (int i = 0; i < valid.length; i++) {
            int code = valid[i];
            cases.add(new Case(
                    "7.7." + (i + 1) + " close with " + code, raw -> close(raw, code, ""), Integer.toString(code)));
            cases.add(new Case(
                    "7.7." + (i + 1) + " close with " + code + " and a reason",
                    raw -> close(raw, code, "why"),
                    Integer.toString(code)));
        }
        int[] invalid = {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 32_767, 32_768, 65_535};
        for (int i = 0; i < invalid.length; i++) {
            int code = invalid[i];
            cases.add(new Case("7.9." + (i + 1) + " close with " + code, raw -> close(raw, code, ""), "1002"));
            cases.add(new Case(
                    "7.9." + (i + 1) + " close with " + code + " and a reason",
                    raw -> close(raw, code, "why"),
                    "1002"));
        }
        return cases.stream();
    }

    static Stream<Case> lengths() {
        return Stream.of(
                header("a length of 125 in two bytes", "81fe007d01020304", "1002"),
                header("a length of 0 in two bytes", "81fe000001020304", "1002"),
                header("a length of 5 in eight bytes", "81ff000000000000000501020304", "1002"),
                header("a length of 65,535 in eight bytes", "81ff000000000000ffff01020304", "1002"),
                header("a length of 65,537", "81ff000000000001000101020304", "1009"),
                header("a length of 2^31 - 1", "81ff000000007fffffff01020304", "1009"),
                header("a length of 2^31", "81ff000000008000000001020304", "1009"),
                header("a length of 2^32", "81ff000000010000000001020304", "1009"),
                header("a length of 2^40", "81ff000001000000000001020304", "1009"),
                header("a length of 2^63 - 1", "81ff7fffffffffffffff01020304", "1009"),
                header("a length of 2^63", "81ff800000000000000001020304", "1002"),
                header("a length of 2^64 - 1", "81ffffffffffffffffff01020304", "1002"),
                header("a ping with its length in two bytes", "89fe000501020304", "1002"),
                header("a ping of 2^40", "89ff000001000000000001020304", "1002"),
                header("a close with its length in eight bytes", "88ff000000000000000201020304", "1002"),
                header("a continuation of 2^40", "80ff000001000000000001020304", "1002"),
                header("a fragment of 2^40", "01ff000001000000000001020304", "1009"),
                header("binary of 2^40", "82ff000001000000000001020304", "1009"),
                header("TLS instead of frames", "16030100a5010000a1", "1002"),
                header(
                        "HTTP instead of frames",
                        HexFormat.of().formatHex("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII)),
                        "1002"),
                header("only zeros", "00".repeat(64), "1002"),
                header("only ones", "ff".repeat(64), "1002"));
    }

    private static Case header(String name, String hex, String outcome) {
        return new Case(name, raw -> raw.sendBytes(HexFormat.of().parseHex(hex)), outcome);
    }

    @ParameterizedTest
    @ValueSource(ints = {1002, 1003, 1007, 1008, 1009})
    void everyRejectionIsCountedByItsCode(int code) throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            LongAdder count = Objects.requireNonNull(
                    server.bean(SessionCounters.class).malformed.get(code));
            long before = count.sum();
            switch (code) {
                case 1002 -> raw.send(true, 3, new byte[0]);
                case 1003 -> raw.send(true, RawSocket.BINARY, new byte[0]);
                case 1007 -> text(raw, true, new byte[] {(byte) 0xff});
                case 1008 -> manyFragments(raw, 1_001, new byte[0]);
                default -> text(raw, true, letters(65_537));
            }
            assertThat(raw.closeCode()).isEqualTo(code);
            assertThat(count.sum()).isEqualTo(before + 1);
        }
    }

    @Test
    void connectionLostWithinAMessageIsNotLogged() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
                text(raw, false, bytes("\"half"));
                ping(raw, bytes("read that far?"));
                assertThat(next(raw)).isEqualTo("P" + hex("read that far?"));
                if (i % 2 == 0) raw.reset();
            }
        }
    }

    @Test
    void frameHeaderOfATerabyteIsRejectedBeforeThePayload() throws IOException {
        try (RawSocket raw = RawSocket.connect(server, "/chat/room")) {
            raw.sendBytes(HexFormat.of().parseHex("81ff00000100000000"));
            // Netty waits for the mask, no more.
            raw.sendBytes(HexFormat.of().parseHex("0001020304"));
            assertThat(raw.closeCode()).isEqualTo(1009);
        }
    }

    private static void text(RawSocket raw, boolean last, byte[] payload) throws IOException {
        raw.send(last, RawSocket.TEXT, payload);
    }

    private static void more(RawSocket raw, boolean last, byte[] payload) throws IOException {
        raw.send(last, RawSocket.CONTINUATION, payload);
    }

    private static void ping(RawSocket raw, byte[] payload) throws IOException {
        raw.send(true, RawSocket.PING, payload);
    }

    private static void close(RawSocket raw, int code, String reason) throws IOException {
        byte[] text = bytes(reason);
        raw.send(
                true,
                RawSocket.CLOSE,
                ByteBuffer.allocate(2 + text.length)
                        .putShort((short) code)
                        .put(text)
                        .array());
    }

    private static void eachByte(RawSocket raw, byte[] text) throws IOException {
        for (int i = 0; i < text.length; i++)
            raw.send(i == text.length - 1, i == 0 ? RawSocket.TEXT : RawSocket.CONTINUATION, new byte[] {text[i]});
    }

    private static byte[] fragment(boolean last, int opcode, byte[] payload) {
        return RawSocket.frame(last, 0, opcode, true, payload);
    }

    private static byte[] textFrame(byte[] payload) {
        return fragment(true, RawSocket.TEXT, payload);
    }

    private static byte[] repeated(byte[] bytes, int times) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < times; i++) all.writeBytes(bytes);
        return all.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) all.writeBytes(part);
        return all.toByteArray();
    }

    private static byte[] letters(int count) {
        byte[] letters = new byte[count];
        Arrays.fill(letters, (byte) '*');
        return letters;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(bytes(text));
    }
}
