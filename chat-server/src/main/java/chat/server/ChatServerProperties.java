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
 * The settings of a chat server; chat-server.yml has every default.
 *
 * @param id of this server in logs and in every stored message; empty: derived from the host name
 * @param eventLoops threads that read and write all sockets; 0: one per processor
 * @param maxConnections limit of open sockets; the server rejects more with 503
 * @param guard overload guard: when new sockets are rejected
 * @param rate rate limits of connections and messages
 * @param userLimits limits of one user, with tokens
 * @param trustedProxies networks of proxies whose {@code X-Forwarded-For} is used, such as {@code 10.0.0.0/8}; empty: the
 *     header is ignored
 * @param handshakes limits of concurrent handshakes
 * @param allowedOrigins of pages that may connect besides the server's own, such as {@code https://chat.example}
 * @param contract of client frames; null: first in open mode, standard with tokens
 * @param frame limits of client frames; these override the contract
 * @param wire limits of the WebSocket parser
 * @param intake limits of a session
 * @param socket buffers and timeouts of sockets
 * @param room memory limits of rooms
 * @param history requests for older messages
 * @param catchUp limits of catch-up
 * @param log publishing and reading of partitions
 * @param breaker circuit breaker of the log
 * @param presence limits of presence
 * @param readAhead time that a start waits for the recent messages, at most 10 minutes; 0: a partition is read only for
 *     its first member
 * @param trafficReport interval of the traffic line in the server's log, 1 s to 1 hour; 0: off
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
     * @param maxFrameBytes of one text frame, including all fragments
     * @param maxMessageLength of one TEXT, in code points; null: the contract's
     * @param userIds form of user ids without a token; null: the contract's
     * @param maxUserId the highest numeric user id
     * @param usernames whether a frame may omit the username; null: the contract's
     * @param maxHistory messages that one JOIN may request
     */
    public record Frame(
            int maxFrameBytes,
            @Nullable Integer maxMessageLength,
            Contract.@Nullable UserIds userIds,
            int maxUserId,
            Contract.@Nullable Usernames usernames,
            int maxHistory) {
        public Frame {
            // Rejected here, where the error names the setting; the contract's part is checked when it is known.
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
     * Buffers and timeouts of sockets.
     *
     * @param outbox bytes that may wait for one socket; beyond it the socket is closed as a slow consumer
     * @param outboxTotal bytes of all outboxes together, shared frames counted once; beyond it the slowest are closed
     * @param handover bytes queued from partitions to one event loop, shared frames counted once; beyond it partitions wait
     * @param pingInterval between two pings
     * @param pingGrace timeout of a pong
     * @param writeDeadline timeout of a socket that reads nothing
     * @param withoutRoom timeout of a socket that joins no room
     * @param readBuffer maximum bytes per read from a socket
     * @param writeBuffer bytes that Netty holds for a socket before frames wait in the outbox
     * @param kernelSend send buffer of the operating system in bytes; 0: its default
     * @param kernelUnsent unsent bytes in that buffer; 0: its default; Linux only
     * @param kernelReceive receive buffer of the operating system in bytes; 0: its default
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
            // Rejected here, where the error names the setting.
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
     * Memory limits of rooms.
     *
     * @param recentMessages messages in memory per room
     * @param recentBytes of these messages per room
     * @param partitionBytes of these messages in all rooms of a partition; beyond it the least recently used are evicted
     * @param emptyRooms rooms without local members that a partition keeps in memory, at least 1
     * @param merge under load, the minimum interval between two frames of a room, and the minimum wait for messages of other
     *     servers
     * @param rememberedIds size of the deduplication window in message ids, over all partitions
     * @param storedInterval between two STORED frames to a member
     * @param partitionGrace time without local members after which the server stops reading a partition; 0: never
     * @param keptPartitions standby partitions, which the server reads even without members
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
            // A stray comma binds as null.
            if (keptPartitions.contains(null))
                throw new IllegalArgumentException("kept-partitions must be numbers separated by commas");
        }
    }

    /**
     * Requests for older messages.
     *
     * @param url of the consumer
     * @param tokenFile with the token for the consumer, read again when it changes; empty: no token
     * @param timeout of one response
     * @param concurrency concurrent requests, at least 1
     * @param page messages per request, 1 to 500
     * @param patience timeout for messages that neither the consumer nor the log returns; then the client receives a GAP
     * @param logReaders concurrent temporary readers of the log, for messages that are not stored yet, 1 to 64
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
     * Limits of catch-up.
     *
     * @param memory of all pages of history, 8 MB to 1 TB
     * @param userRate history per user and second, sustained, 16 KB to 100 MB; 0: no limit
     */
    public record CatchUp(DataSize memory, DataSize userRate) {}

    /**
     * How the server stops.
     *
     * @param announce time that {@code /health} reports the stop before anything else happens
     * @param spread time over which sockets are closed, within the timeout
     * @param timeout for everything after the announcement, including the log
     */
    public record Drain(Duration announce, Duration spread, Duration timeout) {
        public Drain {
            if (announce.isNegative()) throw new IllegalArgumentException("announce must not be negative");
            if (spread.isNegative() || timeout.compareTo(spread) <= 0)
                throw new IllegalArgumentException("timeout must be longer than spread, and that not negative");
        }
    }
}
