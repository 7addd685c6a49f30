package chat.server;

import chat.kit.admission.Networks;
import chat.log.LogSettings;
import chat.protocol.Contract;
import chat.protocol.FrameRules;
import chat.server.admission.HandshakeSettings;
import chat.server.admission.OriginCheck;
import chat.server.admission.OverloadSettings;
import chat.server.admission.RateSettings;
import chat.server.admission.UserLimits;
import chat.server.history.HistorySettings;
import chat.server.intake.IntakeSettings;
import chat.server.presence.PresenceSettings;
import chat.server.room.CatchUpSettings;
import chat.server.room.RoomLimits;
import chat.server.room.RoomSettings;
import chat.server.session.SessionSettings;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * The settings of a chat server; chat-server.yml has every default.
 *
 * @param id name of this server in logs and stored messages; empty: from the host name
 * @param eventLoops threads for all sockets; 0: one per processor
 * @param maxConnections maximum number of sockets; beyond it upgrades get 503
 * @param guard overload guard: when new sockets are rejected
 * @param rate rate limits of connections and messages
 * @param userLimits limits of one user, with tokens
 * @param trustedProxies networks of proxies whose {@code X-Forwarded-For} is read, such as {@code 10.0.0.0/8}
 * @param handshakes limits of concurrent handshakes
 * @param allowedOrigins origins besides the server's own whose pages may connect, such as {@code https://chat.example}
 * @param contract {@code first} or {@code standard}; empty: {@code first} in mode {@code open}, {@code standard} with tokens
 * @param frame limits of client frames
 * @param intake limits of a session
 * @param socket buffers and timeouts of sockets
 * @param room memory limits of rooms
 * @param history requests for older messages
 * @param catchUp limits of catch-up
 * @param log publishing and reading of partitions
 * @param presence limits of presence
 * @param readAhead time limit of reading recent messages before the server is ready, at most 10 minutes; 0: off
 * @param trafficReport interval of the traffic line in the log, 1 s to 1 hour; 0: off
 * @param sessionAudit search for phantom sessions every 10 s
 * @param drain how the server stops
 */
@ConfigurationProperties("chat.server")
record ChatServerProperties(
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
        FrameSettings frame,
        Intake intake,
        SessionSettings socket,
        RoomLimits room,
        HistorySettings history,
        CatchUp catchUp,
        Log log,
        Presence presence,
        Duration readAhead,
        Duration trafficReport,
        boolean sessionAudit,
        DrainSettings drain) {

    ChatServerProperties {
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
    }

    FrameRules frameRules(boolean tokens) {
        return frame.rules(contract != null ? contract : tokens ? Contract.STANDARD : Contract.FIRST);
    }

    RoomSettings roomSettings(String serverId, FrameRules rules) {
        return new RoomSettings(
                serverId,
                rules,
                socket.pingInterval(),
                rate.announced(),
                room,
                catchUp.settings(),
                presence.settings());
    }

    // The records below bind some components of records in packages that do not depend on Spring.

    /**
     * Limits of a session.
     *
     * @param maxRooms maximum number of rooms of a session
     */
    record Intake(int maxRooms) {
        Intake {
            IntakeSettings unused = new IntakeSettings(maxRooms);
        }

        IntakeSettings settings() {
            return new IntakeSettings(maxRooms);
        }
    }

    /**
     * Limits of catch-up.
     *
     * @param userRate sustained history per user and second, 16 KB to 100 MB; 0: unlimited
     */
    record CatchUp(DataSize userRate) {
        CatchUp {
            CatchUpSettings unused = new CatchUpSettings(userRate.toBytes());
        }

        CatchUpSettings settings() {
            return new CatchUpSettings(userRate.toBytes());
        }
    }

    /**
     * Publishing and reading of partitions.
     *
     * @param unconfirmed maximum number of published, unconfirmed entries of a partition; at the limit the next entry grows
     * @param silence time without an entry after which a reader subscribes again; without a response, a writer reconnects
     */
    record Log(int unconfirmed, Duration silence) {
        Log {
            LogSettings unused = new LogSettings(unconfirmed, silence);
        }

        LogSettings settings() {
            return new LogSettings(unconfirmed, silence);
        }
    }

    /**
     * Limits of presence.
     *
     * @param singleUpTo largest room that receives each JOIN and LEAVE; larger ones receive MEMBERS frames
     * @param maxMembers maximum number of members counted per partition, on all servers; beyond it counts are too low
     */
    record Presence(int singleUpTo, int maxMembers) {
        Presence {
            PresenceSettings unused = new PresenceSettings(singleUpTo, maxMembers);
        }

        PresenceSettings settings() {
            return new PresenceSettings(singleUpTo, maxMembers);
        }
    }
}
