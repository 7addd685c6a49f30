package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import chat.log.LineFields;
import chat.log.LogCounters;
import chat.protocol.CloseCode;
import chat.protocol.ErrorCode;
import chat.server.intake.IntakeCounters;
import chat.server.room.RoomCounters;
import chat.server.session.SessionCounters;
import chat.server.session.Sessions;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TrafficReportTest {
    private final SessionCounters sockets = new SessionCounters();
    private final IntakeCounters intake = new IntakeCounters();
    private final RoomCounters rooms = new RoomCounters();
    private final LogCounters log = new LogCounters();
    private final AtomicLong nanos = new AtomicLong(42);
    private final TrafficReport report = new TrafficReport(new Sessions(), sockets, intake, rooms, log, nanos::get);

    private final Logger logger = (Logger) LoggerFactory.getLogger(TrafficReport.class);
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
        logger.setLevel(null);
        report.close();
    }

    private void sayAfter(long seconds) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        report.say();
    }

    private Object field(String name) {
        return logged.list.getLast().getKeyValuePairs().stream()
                .filter(pair -> pair.key.equals(name))
                .findFirst()
                .orElseThrow()
                .value;
    }

    @Test
    void lineCoversTheTimeSinceTheLastOne() {
        log.accepted.add(300);
        intake.byCode(ErrorCode.CONFLICT).add(30);
        intake.byCode(ErrorCode.UNAVAILABLE).add(15);
        rooms.delivered.add(30_000);
        rooms.memberships.add(7);
        sockets.byCode(CloseCode.SLOW).increment();
        sayAfter(30);
        log.accepted.add(60);
        sayAfter(20);

        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly(
                        "0 sessions, 7 memberships; a second: 10.0 messages accepted, 1.5 refused, 1000.0 deliveries; sockets: 0 "
                                + "opened, 0 ended, 0 turned away, 1 closed as slow; the log was subscribed to anew 0 times",
                        "0 sessions, 7 memberships; a second: 3.0 messages accepted, 0.0 refused, 0.0 deliveries; sockets: 0 "
                                + "opened, 0 ended, 0 turned away, 0 closed as slow; the log was subscribed to anew 0 times");
        assertThat(field(LineFields.ACCEPTED_PER_SECOND)).isEqualTo(3.0);
        assertThat(field(LineFields.MEMBERSHIPS)).isEqualTo(7L);
        assertThat(field(LineFields.CLOSED_SLOW)).isEqualTo(0L);
    }

    @Test
    void idleServerLogsNothing() {
        sayAfter(30);
        sayAfter(3_600);
        assertThat(logged.list).isEmpty();

        sockets.opened.increment();
        log.accepted.add(30);
        sayAfter(30);
        sayAfter(30);
        assertThat(logged.list).hasSize(1);
        assertThat(field(LineFields.ACCEPTED_PER_SECOND)).isEqualTo(1.0);
    }
}
