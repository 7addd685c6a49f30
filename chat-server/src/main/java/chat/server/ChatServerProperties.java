package chat.server;

import chat.kit.admission.Networks;
import chat.log.LogSettings;
import chat.log.breaker.BreakerSettings;
import chat.protocol.Contract;
import chat.protocol.FrameRules;
import chat.server.admission.HandshakeSettings;
import chat.server.admission.OriginCheck;
import chat.server.admission.OverloadSettings;
import chat.server.admission.RateSettings;
import chat.server.admission.UserLimits;
import chat.server.intake.IntakeSettings;
import chat.server.presence.PresenceSettings;
import chat.server.room.CatchUpSettings;
import chat.server.room.RoomSettings;
import chat.server.session.SessionSettings;
import chat.server.session.WireSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * The settings of a chat server; every default stands in chat-server.yml.
 *
 * @param id of this server, for people and in every stored message; empty: made from the host's name
 * @param eventLoops threads that read and write all sockets; 0: one for each processor
 * @param maxConnections sockets held at once; more are turned away
 * @param guard when new sockets are refused
 * @param rate how fast clients may come in and speak
 * @param userLimits bounds of one user, where tokens are asked for
 * @param trustedProxies networks of the proxies that are believed about whom they have a request from, such as
 *     {@code 10.0.0.0/8}; none: {@code X-Forwarded-For} is not looked at
 * @param handshakes how many may be coming in at once
 * @param allowedOrigins of pages that may connect besides the server's own, such as {@code https://chat.example}
 * @param contract that a client's frames follow; null: the first where everybody is let in, the standard one with tokens
 * @param frame what a client's frame may be, where the contract is to be another one
 * @param wire what a socket may ask of the frame parser besides
 * @param intake what a session may do
 * @param socket how sockets are kept
 * @param room what rooms keep in memory
 * @param history where older messages are asked for
 * @param catchUp bounds of catching up
 * @param log how partitions are written and read
 * @param breaker when a log that fails again and again is left alone
 * @param presence what is kept and told of who is where
 * @param readAhead how long a start waits until what was said lately has been read, at most 10 minutes; 0: a partition is read
 *     from its first member on
 * @param trafficReport between two lines of the server's log that say what goes through it, 1 s to 1 hour; 0: there are none
 * @param sessionAudit whether to search for phantom sessions every 10 s; reads /proc/net on Linux
 * @param drain how the server stops
 */
@ConfigurationProperties("chat.server")
public record ChatServerProperties(
        String id,
        int eventLoops,
        int maxConnections,
        OverloadSettings guard,
        RateSettings rate,
        UserLimits userLimits,
        List<String> trustedProxies,
        HandshakeSettings handshakes,
        List<String> allowedOrigins,
        @Nullable Contract contract,
        Frame frame,
        WireSettings wire,
        IntakeSettings intake,
        Socket socket,
        Room room,
        History history,
        CatchUp catchUp,
        LogSettings log,
        BreakerSettings breaker,
        PresenceSettings presence,
        Duration readAhead,
        Duration trafficReport,
        boolean sessionAudit,
        Drain drain) {

    public ChatServerProperties {
        if (!id.matches("[A-Za-z0-9._-]{0,64}"))
            throw new IllegalArgumentException("id must be at most 64 characters of A-Z a-z 0-9 . _ -");
        if (eventLoops < 0 || eventLoops > 1024) throw new IllegalArgumentException("event-loops must be 0 to 1024");
        if (maxConnections < 1) throw new IllegalArgumentException("max-connections must be at least 1");
        if (readAhead.isNegative() || readAhead.compareTo(Duration.ofMinutes(10)) > 0)
            throw new IllegalArgumentException("read-ahead must be 0 to 10 minutes");
        if (!trafficReport.isZero()
                && (trafficReport.toSeconds() < 1 || trafficReport.compareTo(Duration.ofHours(1)) > 0))
            throw new IllegalArgumentException("traffic-report must be 0 or 1 s to 1 h");
        Networks unusedProxies = Networks.of(trustedProxies);
        OriginCheck unusedOrigins = new OriginCheck(allowedOrigins);
        RoomSettings unused = roomSettings(id, FrameRules.DEFAULT, socket, rate, room, history, catchUp, presence);
    }

    FrameRules frameRules(boolean tokens) {
        return frame.rules(contract != null ? contract : tokens ? Contract.STANDARD : Contract.FIRST);
    }

    RoomSettings roomSettings(String serverId, FrameRules rules) {
        return roomSettings(serverId, rules, socket, rate, room, history, catchUp, presence);
    }

    private static RoomSettings roomSettings(
            String serverId,
            FrameRules rules,
            Socket socket,
            RateSettings rate,
            Room room,
            History history,
            CatchUp catchUp,
            PresenceSettings presence) {
        return new RoomSettings(
                serverId,
                rules,
                socket.pingInterval(),
                rate.announced(),
                room.recentMessages(),
                Math.toIntExact(room.recentBytes().toBytes()),
                room.partitionBytes().toBytes(),
                room.emptyRooms(),
                room.merge(),
                room.rememberedIds(),
                room.storedInterval(),
                room.partitionGrace(),
                room.keptPartitions(),
                history.page(),
                history.patience(),
                history.logReaders(),
                new CatchUpSettings(
                        catchUp.memory().toBytes(),
                        history.concurrency(),
                        catchUp.userRate().toBytes()),
                presence);
    }

    /**
     * Limits of a client's frame.
     *
     * @param maxFrameBytes of one text frame, all fragments together
     * @param maxMessageLength of one TEXT, in code points; null: as the contract says
     * @param userIds what a user id is, where no token gives it; null: as the contract says
     * @param maxUserId the highest user id, where those are numbers
     * @param usernames whether a frame may leave the username out; null: as the contract says
     * @param maxHistory messages that one JOIN may ask for
     */
    public record Frame(
            int maxFrameBytes,
            @Nullable Integer maxMessageLength,
            Contract.@Nullable UserIds userIds,
            int maxUserId,
            Contract.@Nullable Usernames usernames,
            int maxHistory) {
        public Frame {
            // Refused here, where a wrong value is reported by its name; what the contract leaves open is checked when
            // it is known.
            FrameRules unused =
                    rules(Contract.FIRST, maxFrameBytes, maxMessageLength, userIds, maxUserId, usernames, maxHistory);
        }

        FrameRules rules(Contract contract) {
            return rules(contract, maxFrameBytes, maxMessageLength, userIds, maxUserId, usernames, maxHistory);
        }

        private static FrameRules rules(
                Contract contract,
                int maxFrameBytes,
                @Nullable Integer maxMessageLength,
                Contract.@Nullable UserIds userIds,
                int maxUserId,
                Contract.@Nullable Usernames usernames,
                int maxHistory) {
            return new FrameRules(
                    maxFrameBytes,
                    maxMessageLength != null ? maxMessageLength : contract.maxMessageLength(),
                    userIds != null ? userIds : contract.userIds(),
                    maxUserId,
                    usernames != null ? usernames : contract.usernames(),
                    maxHistory);
        }
    }

    /**
     * How sockets are kept.
     *
     * @param outbox bytes that may wait for one socket
     * @param outboxTotal bytes that the frames in all outboxes may take, shared ones once
     * @param handover bytes that may lie between the partitions and one event loop, shared frames once
     * @param pingInterval between two pings
     * @param pingGrace for an answer to a ping
     * @param writeDeadline for a socket to take something
     * @param withoutRoom after which a socket that joined no room is closed
     * @param readBuffer bytes read from a socket at once, at most
     * @param writeBuffer bytes that Netty may hold for a socket before frames wait in the outbox
     * @param kernelSend bytes that the operating system may hold on their way to a client, 0: as it likes
     * @param kernelUnsent bytes of that which may not even have been sent once, 0: as it likes; on Linux only
     * @param kernelReceive bytes that it may hold before they are read, 0: as it likes
     */
    public record Socket(
            DataSize outbox,
            DataSize outboxTotal,
            DataSize handover,
            Duration pingInterval,
            Duration pingGrace,
            Duration writeDeadline,
            Duration withoutRoom,
            DataSize readBuffer,
            DataSize writeBuffer,
            DataSize kernelSend,
            DataSize kernelUnsent,
            DataSize kernelReceive) {
        public Socket {
            within(1024, 1 << 20, readBuffer, "read-buffer must be 1KB to 1MB");
            within(1024, 1 << 20, writeBuffer, "write-buffer must be 1KB to 1MB");
            within(0, 1 << 30, kernelSend, "kernel-send must be 0 to 1GB");
            within(0, 1 << 30, kernelUnsent, "kernel-unsent must be 0 to 1GB");
            within(0, 1 << 30, kernelReceive, "kernel-receive must be 0 to 1GB");
            // Refused here, where a wrong value is reported by its name.
            SessionSettings unused =
                    settings(outbox, outboxTotal, handover, pingInterval, pingGrace, writeDeadline, withoutRoom);
        }

        private static void within(long least, long most, DataSize size, String rule) {
            if (size.toBytes() < least || size.toBytes() > most) throw new IllegalArgumentException(rule);
        }

        SessionSettings settings() {
            return settings(outbox, outboxTotal, handover, pingInterval, pingGrace, writeDeadline, withoutRoom);
        }

        private static SessionSettings settings(
                DataSize outbox,
                DataSize outboxTotal,
                DataSize handover,
                Duration pingInterval,
                Duration pingGrace,
                Duration writeDeadline,
                Duration withoutRoom) {
            return new SessionSettings(
                    outbox.toBytes(),
                    outboxTotal.toBytes(),
                    handover.toBytes(),
                    pingInterval,
                    pingGrace,
                    writeDeadline,
                    withoutRoom);
        }
    }

    /**
     * What rooms keep in memory.
     *
     * @param recentMessages of one room
     * @param recentBytes of one room
     * @param partitionBytes of all rooms of a partition
     * @param emptyRooms of a partition, without members here, that keep their last messages, at least 1
     * @param merge under load, the least time between two frames of a room, and the longest wait of one server's messages for
     *     those of others that write at the same time
     * @param rememberedIds message ids in all partitions together, to find what is sent twice
     * @param storedInterval between two frames that tell a member up to where its room is stored
     * @param partitionGrace after which a partition without members here is read no more; 0: it is read until the end
     * @param keptPartitions which are read until the end, whoever is here
     */
    public record Room(
            int recentMessages,
            DataSize recentBytes,
            DataSize partitionBytes,
            int emptyRooms,
            Duration merge,
            int rememberedIds,
            Duration storedInterval,
            Duration partitionGrace,
            Set<Integer> keptPartitions) {
        public Room {
            // Of a comma too many.
            if (keptPartitions.contains(null))
                throw new IllegalArgumentException("kept-partitions must be numbers with commas between");
        }
    }

    /**
     * Where older messages are asked for.
     *
     * @param url of the consumer
     * @param tokenFile with the token that the consumer is shown, read again when it changes; empty: none is shown
     * @param timeout of one answer
     * @param concurrency questions under way at once, at least 1
     * @param page messages asked for at once, 1 to 500
     * @param patience where neither the consumer nor the log tells what is asked for, before a GAP is told
     * @param logReaders temporary readers of the log at once, for what the consumer has not stored yet, 1 to 64
     */
    public record History(
            URI url, String tokenFile, Duration timeout, int concurrency, int page, Duration patience, int logReaders) {
        public History {
            boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (!http || url.getHost() == null)
                throw new IllegalArgumentException("url must look like http://host:8090, not " + url);
            if (timeout.toMillis() < 1) throw new IllegalArgumentException("timeout must be at least 1 ms");
            if (concurrency < 1) throw new IllegalArgumentException("concurrency must be at least 1");
        }
    }

    /**
     * Bounds of catching up.
     *
     * @param memory that pages of history may take in all sessions together, 8 MB to 1 TB
     * @param userRate past messages that one user receives in a second, sustained, 16 KB to 100 MB; 0: not limited
     */
    public record CatchUp(DataSize memory, DataSize userRate) {}

    /**
     * How the server stops.
     *
     * @param announce how long {@code /health} says so before anything else happens
     * @param spread over which sockets are closed, within the timeout
     * @param timeout for everything after the announcement, the log included
     */
    public record Drain(Duration announce, Duration spread, Duration timeout) {
        public Drain {
            if (announce.isNegative()) throw new IllegalArgumentException("announce must not be negative");
            if (spread.isNegative() || timeout.compareTo(spread) <= 0)
                throw new IllegalArgumentException("timeout must be longer than spread, and that not negative");
        }
    }
}
