package chat.load.plan;

import java.util.List;
import java.util.Map;

/** Lists all chat scenarios. The same driver executes them and the same checker judges them. */
public final class Scenarios {
    private Scenarios() {}

    public static final List<Scenario> ALL = List.of(
            new Scenario(
                    "fanout",
                    "Everybody in every room talks: each message has to be accepted, stored once, and received once by every "
                            + "member of its room, in one order.",
                    Map.of("rooms", "20", "users", "50", "messages", "50")),
            new Scenario(
                    "warmup",
                    "32 connections with 1,000 messages each: what a cold server does, and what makes it warm.",
                    Map.of("rooms", "8", "users", "4", "messages", "1000")),
            new Scenario(
                    "baseline",
                    "The standard run: 20 rooms of 50 members with 500 messages each, 500,000 in all, after the warm-up.",
                    Map.of("rooms", "20", "users", "50", "messages", "500", "warm-up", "32x1000")),
            new Scenario(
                    "stress",
                    "A million messages in the standard rooms, 16 of each member on their way.",
                    Map.of("rooms", "20", "users", "50", "messages", "1000", "window", "16", "warm-up", "32x1000")),
            new Scenario(
                    "endurance",
                    "A share of the measured maximum, held for minutes: does throughput drift, does memory grow? Measures the "
                            + "maximum first unless a rate is given.",
                    Map.of("rooms", "20", "users", "50", "share", "0.8", "duration", "5m", "warm-up", "32x1000")),
            new Scenario(
                    "spike",
                    "Connections follow stages while everybody who is there chats: to 1,000 in three minutes, a minute there, "
                            + "to 1,500 in half a minute, a minute there, and all away in ten seconds.",
                    Map.of(
                            "rooms", "20",
                            "rate", "100",
                            "keep-connections", "true",
                            "stages", "3m:1000,1m:1000,30s:1500,1m:1500,10s:0")),
            new Scenario(
                    "capacity",
                    "Connections come at an even pace up to a number, each in several rooms, and stay for a while, with "
                            + "a little talk.",
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
                    "Members chat, while visitors come and go: each visitor hears everything from its JOIN to its LEAVE, and "
                            + "nobody else notices.",
                    Map.of(
                            "rooms", "20",
                            "users", "40",
                            "rate", "20",
                            "visitors", "100",
                            "stay", "5s",
                            "duration", "1m")),
            new Scenario(
                    "overload",
                    "Members chat as fast as they can, while ten times as many want to come into a server that is full: those "
                            + "inside keep their throughput, and have all of it again when the crowd has gone.",
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
                    "Somebody stops reading in busy rooms: the server closes that connection in time, and nobody else notices.",
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
                    "Somebody never answers a ping: the server closes that connection in time, and keeps those who say nothing "
                            + "else, but answer.",
                    Map.of(
                            "rooms", "4",
                            "users", "10",
                            "rate", "1",
                            "silent", "4",
                            "within", "45s",
                            "duration", "50s")),
            new Scenario(
                    "rate",
                    "One connection sends more than a limit lets through, in an open loop, which no refusal slows down: just the "
                            + "limit is admitted, and what was offered is what was admitted and refused.",
                    Map.of(
                            "rooms", "1",
                            "users", "1",
                            "limit", "announced",
                            "retries", "0",
                            "duration", "30s")),
            new Scenario(
                    "echo",
                    "A thousand members, each alone in a room: one delivery for a message.",
                    Map.of("rooms", "1000", "users", "1", "messages", "500")),
            new Scenario(
                    "mix",
                    "90 %% TEXT, 5 %% JOIN, 5 %% LEAVE: members leave their rooms and come back, and hear everything of each stay. "
                            + "The report compares Little's law, predicted and measured.",
                    Map.of("rooms", "20", "users", "50", "messages", "100", "turnover", "0.0556")));
}
