package chat.load.lab.sample;

import static chat.load.lab.sample.MetricSeries.Owner.BROKER;
import static chat.load.lab.sample.MetricSeries.Owner.CONSUMER;
import static chat.load.lab.sample.MetricSeries.Owner.PROGRAM;
import static chat.load.lab.sample.Selector.all;
import static chat.load.lab.sample.Selector.beginning;
import static chat.load.lab.sample.Selector.with;
import static chat.load.lab.sample.Selector.without;

import chat.load.lab.sample.MetricSeries.Largest;
import chat.load.lab.sample.MetricSeries.Mean;
import chat.load.lab.sample.MetricSeries.Owner;
import chat.load.lab.sample.MetricSeries.Rate;
import chat.load.lab.sample.MetricSeries.Share;
import chat.load.lab.sample.MetricSeries.Sum;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the metrics that become series: those of any JVM, of chat servers and consumer as docs/reference/metrics.md
 * explains them, and of RabbitMQ's Prometheus plugin. An endpoint contributes the metrics that it has.
 */
final class KnownMetrics {
    private static final double MILLIS = 1e3;

    static final List<MetricSeries> ALL = everything();

    /** The messages that a chat server has read back from the log, and the consumer's that have left it. */
    static final Selector ACCEPTED = Selector.all("chat_log_messages_accepted_total");

    static final List<Selector> SETTLED = List.of(
            Selector.all("persistence_stored_total"),
            Selector.all("persistence_duplicates_total"),
            Selector.all("persistence_dead_letters_total"));
    static final Selector LAG = Selector.all("persistence_lag_seconds");
    /** Tells one life of a program from the next. */
    static final Selector STARTED = Selector.all("process_start_time_seconds");

    private KnownMetrics() {}

    private static List<MetricSeries> everything() {
        List<MetricSeries> all = new ArrayList<>();
        all.addAll(jvm());
        all.addAll(chatServer());
        all.addAll(consumer());
        all.addAll(rabbit());
        return List.copyOf(all);
    }

    private static List<MetricSeries> jvm() {
        return List.of(
                sum(PROGRAM, "heap", with("jvm_memory_used_bytes", "area", "heap")),
                sum(PROGRAM, "heapMax", with("jvm_memory_max_bytes", "area", "heap")),
                // Micrometer gives what long-lived pools held after their last collection as a share of the maximum.
                new Share(
                        PROGRAM,
                        "heapAfterGc",
                        with("jvm_memory_usage_after_gc", "area", "heap"),
                        with("jvm_memory_max_bytes", "area", "heap")),
                sum(PROGRAM, "directBuffers", with("netty_allocator_memory_used", "memory_type", "direct")),
                rate(PROGRAM, "gcPause", all("jvm_gc_pause_seconds_sum")),
                rate(PROGRAM, "allocated", all("jvm_gc_memory_allocated_bytes_total")),
                new Rate(PROGRAM, "jit", all("jvm_compilation_time_ms_total"), 1 / MILLIS),
                rate(PROGRAM, "warnings", with("logback_events_total", "level", "warn")),
                rate(PROGRAM, "errors", with("logback_events_total", "level", "error")));
    }

    private static List<MetricSeries> chatServer() {
        return List.of(
                sum(PROGRAM, "sessions", all("chat_sessions")),
                sum(PROGRAM, "sessionsMax", all("chat_sessions_max")),
                sum(PROGRAM, "connections", all("chat_connections")),
                sum(PROGRAM, "connectionsKernel", all("chat_connections_kernel")),
                sum(PROGRAM, "phantoms", all("chat_sessions_phantom")),
                sum(PROGRAM, "audits", all("chat_sessions_audits_total")),
                sum(PROGRAM, "outboxBytes", all("chat_outbox_bytes")),
                sum(PROGRAM, "frameBytes", all("chat_frames_bytes")),
                rate(PROGRAM, "framesIn", with("chat_frames_total", "direction", "in")),
                rate(PROGRAM, "framesOut", with("chat_frames_total", "direction", "out")),
                rate(PROGRAM, "taken", with("chat_intake_total", "outcome", "taken")),
                rate(PROGRAM, "refused", without("chat_intake_total", "outcome", "taken")),
                rate(PROGRAM, "paused", all("chat_intake_paused_total")),
                rate(PROGRAM, "accepted", all("chat_log_messages_accepted_total")),
                rate(PROGRAM, "deliveries", all("chat_deliveries_total")),
                sum(PROGRAM, "acknowledgedAgain", all("chat_messages_acknowledged_again_total")),
                new Mean(
                        PROGRAM,
                        "deliveriesPerFrame",
                        all("chat_deliveries_total"),
                        with("chat_frames_total", "direction", "out"),
                        1),
                rate(PROGRAM, "entries", all("chat_log_entries_published_total")),
                rate(PROGRAM, "entriesAgain", all("chat_log_entries_published_again_total")),
                new Mean(
                        PROGRAM,
                        "messagesPerEntry",
                        all("chat_log_messages_accepted_total"),
                        all("chat_log_entries_published_total"),
                        1),
                sum(PROGRAM, "entriesUnconfirmed", all("chat_log_entries_unconfirmed")),
                new Mean(
                        PROGRAM,
                        "confirmMillis",
                        all("chat_log_confirm_seconds_sum"),
                        all("chat_log_confirm_seconds_count"),
                        MILLIS),
                new Mean(
                        PROGRAM,
                        "readBackMillis",
                        all("chat_log_read_back_seconds_sum"),
                        all("chat_log_read_back_seconds_count"),
                        MILLIS),
                rate(PROGRAM, "logRefused", all("chat_log_messages_refused_total")),
                rate(PROGRAM, "resubscribed", all("chat_log_resubscribed_total")),
                sum(PROGRAM, "partitionsRead", all("chat_log_partitions_read")),
                rate(PROGRAM, "gaps", all("chat_gaps_total")),
                rate(PROGRAM, "turnedAway", all("chat_sockets_turned_away_total")),
                rate(PROGRAM, "refusedAtDoor", all("chat_refused_total")),
                rate(PROGRAM, "closed", all("chat_sockets_closed_total")),
                rate(PROGRAM, "closedSlow", with("chat_sockets_closed_total", "code", "SLOW")));
    }

    private static List<MetricSeries> consumer() {
        return List.of(
                new Largest(CONSUMER, "lag", all("persistence_lag_seconds"), 1),
                rate(CONSUMER, "stored", all("persistence_stored_total")),
                rate(CONSUMER, "duplicates", all("persistence_duplicates_total")),
                sum(CONSUMER, "duplicatesTotal", all("persistence_duplicates_total")),
                rate(CONSUMER, "deadLetters", all("persistence_dead_letters_total")),
                rate(CONSUMER, "batches", all("persistence_batch_size_messages_count")),
                new Mean(
                        CONSUMER,
                        "batchSize",
                        all("persistence_batch_size_messages_sum"),
                        all("persistence_batch_size_messages_count"),
                        1),
                new Mean(
                        CONSUMER,
                        "batchWriteMillis",
                        all("persistence_batch_write_seconds_sum"),
                        all("persistence_batch_write_seconds_count"),
                        MILLIS),
                new Largest(
                        CONSUMER,
                        "batchWriteP99Millis",
                        with("persistence_batch_write_seconds", "quantile", "0.99"),
                        MILLIS),
                rate(CONSUMER, "flushesBySize", with("persistence_flushes_total", "cause", "size")),
                rate(CONSUMER, "flushesByTime", with("persistence_flushes_total", "cause", "time")),
                rate(CONSUMER, "retries", all("persistence_retries_total")),
                rate(CONSUMER, "fenced", all("persistence_fenced_total")),
                rate(CONSUMER, "gaps", all("persistence_gaps_total")),
                sum(CONSUMER, "poolActive", with("hikaricp_connections_active", "pool", "writing")),
                sum(CONSUMER, "poolPending", with("hikaricp_connections_pending", "pool", "writing")),
                sum(CONSUMER, "poolMax", with("hikaricp_connections_max", "pool", "writing")),
                new Mean(
                        CONSUMER,
                        "poolWaitMillis",
                        with("hikaricp_connections_acquire_seconds_sum", "pool", "writing"),
                        with("hikaricp_connections_acquire_seconds_count", "pool", "writing"),
                        MILLIS),
                sum(CONSUMER, "readPoolActive", with("hikaricp_connections_active", "pool", "reading")),
                sum(CONSUMER, "readPoolPending", with("hikaricp_connections_pending", "pool", "reading")),
                sum(CONSUMER, "readPoolMax", with("hikaricp_connections_max", "pool", "reading")),
                rate(CONSUMER, "reads", beginning("http_server_requests_seconds_count", "uri", "/api/")),
                new Mean(
                        CONSUMER,
                        "readMillis",
                        beginning("http_server_requests_seconds_sum", "uri", "/api/"),
                        beginning("http_server_requests_seconds_count", "uri", "/api/"),
                        MILLIS));
    }

    private static List<MetricSeries> rabbit() {
        return List.of(
                // In streams what was read stays: this is no backlog; consumer.depth is.
                sum(BROKER, "messages", all("rabbitmq_queue_messages")),
                sum(BROKER, "unconfirmed", all("rabbitmq_channel_messages_unconfirmed")),
                sum(BROKER, "unacknowledged", all("rabbitmq_channel_messages_unacked")),
                rate(BROKER, "published", all("rabbitmq_global_messages_received_total")),
                rate(BROKER, "confirmed", all("rabbitmq_global_messages_confirmed_total")),
                rate(BROKER, "delivered", all("rabbitmq_global_messages_delivered_total")),
                sum(BROKER, "connections", all("rabbitmq_connections")),
                sum(BROKER, "channels", all("rabbitmq_channels")),
                sum(BROKER, "queues", all("rabbitmq_queues")),
                sum(BROKER, "memory", all("rabbitmq_process_resident_memory_bytes")),
                sum(BROKER, "memoryLimit", all("rabbitmq_resident_memory_limit_bytes")),
                sum(BROKER, "diskFree", all("rabbitmq_disk_space_available_bytes")),
                sum(BROKER, "memoryAlarm", all("rabbitmq_alarms_memory_used_watermark")),
                sum(BROKER, "diskAlarm", all("rabbitmq_alarms_free_disk_space_watermark")));
    }

    private static MetricSeries sum(Owner owner, String metric, Selector of) {
        return new Sum(owner, metric, of);
    }

    private static MetricSeries rate(Owner owner, String metric, Selector of) {
        return new Rate(owner, metric, of, 1);
    }
}
