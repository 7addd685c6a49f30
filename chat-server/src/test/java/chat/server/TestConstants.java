package chat.server;

import chat.log.LogSettings;
import chat.server.room.RoomSettings;
import chat.server.session.SessionSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.config.BeanPostProcessor;

/** Changes values that are constants in production, by replacing the beans that hold them. */
final class TestConstants implements BeanPostProcessor {
    private final Map<Class<?>, UnaryOperator<Object>> changes = new LinkedHashMap<>();

    <T> TestConstants change(Class<T> type, UnaryOperator<T> change) {
        changes.merge(
                type,
                bean -> change.apply(type.cast(bean)),
                (first, second) -> bean -> second.apply(first.apply(bean)));
        return this;
    }

    TestConstants recentMessages(int messages) {
        return change(RoomSettings.class, now -> room(now, messages, now.historyPatience()));
    }

    TestConstants historyPatience(Duration patience) {
        return change(RoomSettings.class, now -> room(now, now.recentMessages(), patience));
    }

    TestConstants pingGrace(Duration grace) {
        return change(SessionSettings.class, now -> session(now, grace, now.writeDeadline(), now.withoutRoom()));
    }

    TestConstants writeDeadline(Duration deadline) {
        return change(SessionSettings.class, now -> session(now, now.pingGrace(), deadline, now.withoutRoom()));
    }

    TestConstants withoutRoom(Duration timeout) {
        return change(SessionSettings.class, now -> session(now, now.pingGrace(), now.writeDeadline(), timeout));
    }

    TestConstants heartbeat(Duration interval, Duration silence) {
        return change(LogSettings.class, now -> log(now, now.maxEntryBytes(), interval, silence, now.overdue()));
    }

    TestConstants overdue(Duration overdue) {
        return change(LogSettings.class, now -> log(now, now.maxEntryBytes(), now.heartbeat(), now.silence(), overdue));
    }

    TestConstants maxEntryBytes(int bytes) {
        return change(LogSettings.class, now -> log(now, bytes, now.heartbeat(), now.silence(), now.overdue()));
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return changes.getOrDefault(bean.getClass(), unchanged -> unchanged).apply(bean);
    }

    private static RoomSettings room(RoomSettings now, int recentMessages, Duration historyPatience) {
        return new RoomSettings(
                now.serverId(),
                now.rules(),
                now.pingInterval(),
                now.rate(),
                now.limits(),
                recentMessages,
                now.emptyRooms(),
                now.storedInterval(),
                now.historyPage(),
                historyPatience,
                now.backlogReaders(),
                now.catchUp(),
                now.presence());
    }

    private static SessionSettings session(
            SessionSettings now, Duration pingGrace, Duration writeDeadline, Duration withoutRoom) {
        return new SessionSettings(
                now.outbox(),
                now.outboxTotal(),
                now.handover(),
                now.pingInterval(),
                pingGrace,
                writeDeadline,
                withoutRoom,
                now.kernelSend(),
                now.kernelReceive());
    }

    private static LogSettings log(
            LogSettings now, int maxEntryBytes, Duration heartbeat, Duration silence, Duration overdue) {
        return new LogSettings(
                now.unconfirmed(),
                now.linger(),
                maxEntryBytes,
                now.maxEntryMessages(),
                heartbeat,
                silence,
                overdue,
                now.memory(),
                now.reconnect());
    }
}
