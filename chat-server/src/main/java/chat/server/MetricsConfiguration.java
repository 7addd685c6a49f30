package chat.server;

import chat.log.LogCounters;
import chat.protocol.CloseCode;
import chat.protocol.ErrorCode;
import chat.server.admission.ConnectionLimit;
import chat.server.admission.HandshakeLimit;
import chat.server.history.HistoryFailure;
import chat.server.history.RestHistory;
import chat.server.intake.IntakeCounters;
import chat.server.presence.PresenceCounters;
import chat.server.room.Frames;
import chat.server.room.RoomCounters;
import chat.server.room.Rooms;
import chat.server.room.SlowCause;
import chat.server.session.EventLoopQueues;
import chat.server.session.OpenConnections;
import chat.server.session.SessionAudit;
import chat.server.session.SessionCounters;
import chat.server.session.SessionSettings;
import chat.server.session.Sessions;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Binds the counters of all components to the metric names in docs/reference/metrics.md. */
@Configuration(proxyBeanMethods = false)
class MetricsConfiguration {

    @Bean
    MeterBinder sessionMeters(
            Sessions sessions,
            ConnectionLimit limit,
            OpenConnections connections,
            ObjectProvider<SessionAudit> audits,
            SessionCounters counters,
            EventLoopQueues queues,
            SessionSettings settings) {
        return registry -> {
            gauge(registry, "chat.connections", connections, OpenConnections::count);
            audits.ifAvailable(audit -> {
                gauge(registry, "chat.connections.kernel", audit, SessionAudit::connectionsAtKernel);
                gauge(registry, "chat.sessions.phantom", audit, SessionAudit::phantoms);
                counter(registry, "chat.sessions.audits", audit.audits);
            });
            gauge(registry, "chat.sessions", sessions, Sessions::count);
            gauge(registry, "chat.sessions.max", limit, ConnectionLimit::max);
            gauge(registry, "chat.outbox.bytes", sessions, Sessions::outboxBytes);
            gauge(registry, "chat.frames.bytes", sessions, unused -> Frames.bytesInUse());
            gauge(registry, "chat.frames.bytes.max", settings, SessionSettings::outboxTotalBytes);
            gauge(registry, "chat.handover.bytes", queues, EventLoopQueues::bytes);
            counter(registry, "chat.handover.waits", counters.handoverWaits);
            counter(registry, "chat.frames", counters.framesIn, "direction", "in");
            counter(registry, "chat.frames", counters.framesOut, "direction", "out");
            counter(registry, "chat.sockets.opened", counters.opened);
            counter(registry, "chat.sockets.ended", counters.ended);
            counter(registry, "chat.sockets.turned.away", counters.turnedAway);
            counters.malformed.forEach(
                    (code, count) -> counter(registry, "chat.sockets.malformed", count, "code", code.toString()));
            for (CloseCode code : CloseCode.values())
                counter(registry, "chat.sockets.closed", counters.byCode(code), "code", code.name());
            for (SlowCause cause : SlowCause.values())
                counter(registry, "chat.sockets.slow", counters.byCause(cause), "cause", tag(cause));
        };
    }

    @Bean
    MeterBinder handshakeMeters(HandshakeLimit limit) {
        return registry -> {
            gauge(registry, "chat.handshakes", limit, HandshakeLimit::current);
            gauge(
                    registry,
                    "chat.handshakes.max",
                    limit,
                    unused -> limit.settings().max());
            counter(registry, "chat.handshakes.refused", limit.rejected);
        };
    }

    @Bean
    MeterBinder messageMeters(
            IntakeCounters intake, RoomCounters rooms, LogCounters log, Rooms partitions, RestHistory history) {
        return registry -> {
            counter(registry, "chat.intake", intake.taken, "outcome", "taken");
            for (ErrorCode code : ErrorCode.values())
                counter(registry, "chat.intake", intake.byCode(code), "outcome", code.name());
            counter(registry, "chat.intake", intake.answered, "outcome", "answered");
            counter(registry, "chat.intake.paused", intake.paused);
            gauge(registry, "chat.intake.waiting.bytes", intake, counted -> counted.waitingBytes.sum());
            counter(registry, "chat.deliveries", rooms.delivered);
            counter(registry, "chat.messages.repeated", rooms.repeated);
            counter(registry, "chat.messages.acknowledged.again", rooms.acknowledgedAgain);
            counter(registry, "chat.messages.again.beyond.bound", rooms.againThroughLog);
            counter(registry, "chat.rooms.forgotten", rooms.recentForgotten, "members", "some");
            counter(registry, "chat.rooms.forgotten", rooms.emptyForgotten, "members", "none");
            counter(registry, "chat.messages.conflicts", rooms.conflicts);
            counter(registry, "chat.messages.renamed", rooms.renamed);
            counter(registry, "chat.messages.ids.cut.short", rooms.idsCutShort);
            counter(registry, "chat.stored.read", rooms.storedRead);
            counter(registry, "chat.stored.frames", rooms.storedTold);
            counter(registry, "chat.stored.losses", rooms.notStoredTold);
            counter(registry, "chat.joins.past", rooms.resumedFromMemory, "source", "memory");
            counter(registry, "chat.joins.past", rooms.resumedFromHistory, "source", "history");
            counter(registry, "chat.backlog.reads", rooms.backlogReads, "outcome", "read");
            counter(registry, "chat.backlog.reads", rooms.backlogFailures, "outcome", "failed");
            counter(registry, "chat.backlog.waits", rooms.backlogWaits);
            counter(registry, "chat.backlog.turns.cut", rooms.backlogTurnsCut);
            counter(registry, "chat.backlog.ids.forgotten", rooms.backlogIdsForgotten);
            gauge(registry, "chat.catch.up.messages", rooms, counted -> counted.pageMessages.sum());
            gauge(registry, "chat.catch.up.bytes", rooms, counted -> counted.catchUpBytes.sum());
            gauge(registry, "chat.catch.up.waiting", rooms, counted -> counted.catchUpWaiting.sum());
            counter(registry, "chat.catch.up.dropped", rooms.catchUpDropped);
            counter(registry, "chat.catch.up.delayed", rooms.catchUpDelayed);
            counter(registry, "chat.gaps", rooms.resumeGaps);
            counter(registry, "chat.log.entries.published", log.published);
            counter(registry, "chat.log.entries.published.again", log.publishedAgain);
            counter(registry, "chat.log.entries.returned", log.returned);
            counter(registry, "chat.log.entries.overdue", log.overdue);
            counter(registry, "chat.log.unanswered", log.unanswered);
            counter(registry, "chat.log.entries.unread.full", log.unreadFull);
            counter(registry, "chat.log.entries.repeated", log.repeated);
            counter(registry, "chat.log.entries.stale", log.stale);
            counter(registry, "chat.log.entries.malformed", log.malformed);
            counter(registry, "chat.log.entries.later", log.later);
            counter(registry, "chat.log.messages.accepted", log.accepted);
            counter(registry, "chat.log.messages.refused", log.refused);
            counter(registry, "chat.log.resubscribed", log.resubscribed);
            counter(registry, "chat.log.gaps", log.gaps);
            counter(registry, "chat.log.runs.forgotten", log.runsForgotten);
            gauge(registry, "chat.history.pending", history, RestHistory::pending);
            for (HistoryFailure why : HistoryFailure.values())
                counter(registry, "chat.history.failures", history.failures(why), "reason", tag(why));
            gauge(registry, "chat.memberships", rooms, counted -> counted.memberships.sum());
            gauge(registry, "chat.log.partitions.read", partitions, Rooms::partitionsRead);
        };
    }

    @Bean
    MeterBinder presenceMeters(RoomCounters rooms) {
        PresenceCounters presence = rooms.presence;
        return registry -> {
            gauge(registry, "chat.presence.members", presence.members, AtomicInteger::get);
            counter(registry, "chat.presence.beyond.bound", presence.beyondBound);
            counter(registry, "chat.presence.runs.gone", presence.runsGone);
            counter(registry, "chat.presence.rosters", presence.rostersPublished);
            counter(registry, "chat.presence.corrections", presence.corrections);
            counter(registry, "chat.presence.rosters.too.old", presence.rostersTooOld);
            counter(registry, "chat.presence.names.left.out", presence.namesLeftOut);
            counter(registry, "chat.presence.frames", presence.framesTold);
            counter(registry, "chat.presence.leaves.late", presence.lateLeaves);
            counter(registry, "chat.presence.leaves.given.up", presence.leavesGivenUp);
        };
    }

    private static String tag(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static void counter(MeterRegistry registry, String name, LongAdder count, String... tags) {
        FunctionCounter.builder(name, count, LongAdder::sum).tags(tags).register(registry);
    }

    private static <T> void gauge(MeterRegistry registry, String name, T of, ToDoubleFunction<T> value) {
        Gauge.builder(name, of, value).register(registry);
    }
}
