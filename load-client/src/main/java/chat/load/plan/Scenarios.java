package chat.load.plan;

import java.util.List;
import java.util.Map;

/** Lists all chat scenarios. The same driver executes them and the same checker judges them. */
public final class Scenarios {
    private Scenarios() {}

    public static final List<Scenario> ALL = List.of(
            new Scenario(
                    "fanout",
                    "All members of all rooms send: each message must be accepted, stored once, and received once by each "
                            + "member of its room, in one order.",
                    Map.of("rooms", "20", "users", "50", "messages", "50")),
            new Scenario(
                    "smoke",
                    "A few seconds of everything: members send, leave and join again, and send some messages twice.",
                    Map.of(
                            "rooms", "4",
                            "users", "5",
                            "rate", "200",
                            "turnover", "0.1",
                            "duplicate-rate", "0.1",
                            "duration", "5s")),
            new Scenario(
                    "contract",
                    "500,000 messages of random users in rooms 1 to 20: 90 %% TEXT from a pool of 50, 5 %% JOIN, 5 %% LEAVE. "
                            + "Each member sends as many TEXTs as --messages says, and an eighteenth as many JOINs and LEAVEs: "
                            + "--messages 900 makes it a million.",
                    Map.of(
                            "rooms", "20",
                            "users", "50",
                            "messages", "450",
                            "numbered-rooms", "true",
                            "texts", "50",
                            "turnover", "0.0556",
                            "warm-up", "32x1000")),
            new Scenario(
                    "warmup",
                    "32 connections with 1,000 messages each: measures a cold server, and warms it.",
                    Map.of("rooms", "8", "users", "4", "messages", "1000")),
            new Scenario(
                    "baseline",
                    "The standard run: 20 rooms of 50 members with 500 messages each, 500,000 in all, after the warm-up.",
                    Map.of("rooms", "20", "users", "50", "messages", "500", "warm-up", "32x1000")),
            new Scenario(
                    "stress",
                    "A million messages in the standard rooms; each member has 16 unacknowledged messages.",
                    Map.of("rooms", "20", "users", "50", "messages", "1000", "window", "16", "warm-up", "32x1000")),
            new Scenario(
                    "endurance",
                    "Holds a share of the maximum rate for minutes, and reports drift of throughput and growth of memory. "
                            + "Measures the maximum first unless a rate is given.",
                    Map.of("rooms", "20", "users", "50", "share", "0.8", "duration", "5m", "warm-up", "32x1000")),
            new Scenario(
                    "spike",
                    "The number of connections follows stages while all members send: up to 1,000 in three minutes, constant "
                            + "for a minute, up to 1,500 in half a minute, constant for a minute, down to 0 in ten seconds.",
                    Map.of(
                            "rooms", "20",
                            "rate", "100",
                            "keep-connections", "true",
                            "stages", "3m:1000,1m:1000,30s:1500,1m:1500,10s:0")),
            new Scenario(
                    "capacity",
                    "Opens connections at a constant rate up to a number, each in several rooms, and keeps them for a while at "
                            + "a low message rate.",
                    Map.of(
                            "rooms", "500",
                            "users", "50",
                            "rooms-per-client", "5",
                            "connect-rate", "100",
                            "keep-connections", "true",
                            "rate", "20",
                            "duration", "1m")),
            new Scenario(
                    "churn",
                    "Members send while visitors join and leave: each visitor must receive all messages from its JOIN to its "
                            + "LEAVE, and the members must not be affected.",
                    Map.of(
                            "rooms", "20",
                            "users", "40",
                            "rate", "20",
                            "visitors", "100",
                            "stay", "5s",
                            "duration", "1m")),
            new Scenario(
                    "overload",
                    "Members send as fast as they can while ten times as many clients try to connect to a full server: the "
                            + "members must keep most of their throughput, and regain all of it after the crowd has gone.",
                    Map.of(
                            "rooms", "20",
                            "users", "10",
                            "window", "4",
                            "messages", "30000",
                            "crowd", "2000",
                            "warm-up", "32x1000",
                            "duration", "90s")),
            new Scenario(
                    "slow-reader",
                    "One client stops reading in busy rooms: the server must close its connection in time, without delaying the "
                            + "other members.",
                    Map.of(
                            "rooms", "2",
                            "users", "25",
                            "window", "16",
                            "messages", "20000",
                            "slow-readers", "1",
                            "within", "16s",
                            "duration", "25s")),
            new Scenario(
                    "silent",
                    "Some clients answer no ping: the server must close their connections in time, and keep those of clients "
                            + "that send nothing but pongs.",
                    Map.of(
                            "rooms", "4",
                            "users", "10",
                            "rate", "1",
                            "silent", "4",
                            "within", "45s",
                            "duration", "50s")),
            new Scenario(
                    "rate",
                    "One connection sends faster than its rate limit, in an open loop: the server must accept exactly the limit, "
                            + "and answer every message with an ACK or an ERROR.",
                    Map.of(
                            "rooms", "1",
                            "users", "1",
                            "limit", "announced",
                            "retries", "0",
                            "duration", "30s")),
            new Scenario(
                    "echo",
                    "A thousand members, each alone in a room: one delivery per message.",
                    Map.of("rooms", "1000", "users", "1", "messages", "500")));
}
