package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScrapeTest {
    private final RecordedSink sink = new RecordedSink();

    @Test
    void aChatServer() {
        Scrape scrape = Scrape.of(Recorded.bytes("chat-server.prom.txt"));
        scrape.write("chat-8081", sink);
        assertThat(scrape.isForeign()).isFalse();
        assertThat(scrape.life()).isEqualTo(1_795_231_238_034L);
        assertThat(sink.totals)
                .containsEntry("chat-8081.deliveries", 601_785.0)
                .containsEntry("chat-8081.framesOut", 153_949.0)
                .containsEntry("chat-8081.taken", 30_200.0)
                .containsEntry("chat-8081.refused", 0.0)
                .containsEntry("chat-8081.entries", 3_770.0)
                .containsEntry("chat-8081.messagesPerEntry", 30_200.0)
                .containsEntry("chat-8081.messagesPerEntry/", 3_770.0)
                .containsEntry("chat-8081.gcPause", 0.234)
                .containsEntry("chat-8081.jit", 25.905);
        assertThat(sink.gauges)
                .containsEntry("chat-8081.sessionsMax", 20_000.0)
                .containsEntry("chat-8081.heap", 12_582_912.0 + 29_984_616 + 6_815_744)
                // Pools without a limit say -1.
                .containsEntry("chat-8081.heapMax", 1_073_741_824.0);
        assertThat(sink.gauge("chat-8081.heapAfterGc")).isCloseTo(29_984_616, within(1.0));
        assertThat(sink.lives).containsEntry("chat-8081.deliveries", 1_795_231_238_034L);
        assertThat(sink.gauges.keySet()).allMatch(name -> name.startsWith("chat-8081."));
    }

    @Test
    void theConsumer() {
        Scrape.of(Recorded.changed(
                        "consumer.prom.txt",
                        "persistence_lag_seconds{partition=\"2\"} 0.0",
                        "persistence_lag_seconds{partition=\"2\"} 1.5"))
                .write("consumer", sink);
        assertThat(sink.totals)
                .containsEntry("consumer.stored", 60_400.0)
                .containsEntry("consumer.batchSize", 60_400.0)
                .containsEntry("consumer.batchSize/", 78.0)
                .containsEntry("consumer.flushesBySize", 37.0)
                .containsEntry("consumer.flushesByTime", 41.0)
                .containsEntry("consumer.reads", 141.0)
                .containsEntry("consumer.poolWaitMillis/", 88.0);
        assertThat(sink.total("consumer.batchWriteMillis")).isCloseTo(19_341.446, within(0.001));
        assertThat(sink.gauge("consumer.batchWriteP99Millis")).isCloseTo(1409.155, within(0.001));
        assertThat(sink.gauges)
                .containsEntry("consumer.lag", 1.5)
                .containsEntry("consumer.poolMax", 5.0)
                .containsEntry("consumer.readPoolMax", 10.0)
                .containsEntry("consumer.poolPending", 0.0);
    }

    /** {@code ./run} has one endpoint for both. */
    @Test
    void ofOneProcessThatIsEverythingTheConsumersSeriesAreTheConsumers() {
        Scrape.of(Recorded.bytes("consumer.prom.txt")).write("chat-8080", sink);
        assertThat(sink.totals).containsKeys("consumer.stored", "chat-8080.gcPause");
        assertThat(sink.totals).doesNotContainKey("chat-8080.stored");
    }

    @Test
    void rabbitMqsOwnPlugin() {
        Scrape.of(Recorded.bytes("rabbitmq.prom.txt")).write("rabbitmq", sink);
        assertThat(sink.gauges)
                .containsEntry("rabbitmq.messages", 17_167.0)
                .containsEntry("rabbitmq.unconfirmed", 0.0)
                .containsEntry("rabbitmq.connections", 5.0)
                .containsEntry("rabbitmq.memory", 136_327_168.0)
                .containsEntry("rabbitmq.diskAlarm", 0.0);
        assertThat(sink.totals)
                .containsEntry("rabbitmq.published", 8_975.0)
                .containsEntry("rabbitmq.delivered", 27_526.0);
    }

    @Test
    void missingMetricHasNoSeries() {
        Scrape scrape = Scrape.of("chat_sessions 5\n".getBytes(StandardCharsets.UTF_8));
        scrape.write("chat-1", sink);
        assertThat(sink.gauges).containsOnlyKeys("chat-1.sessions");
        assertThat(sink.totals).isEmpty();
        assertThat(scrape.life()).isZero();
    }

    @Test
    void aPageOfSomethingElseIsForeign() {
        assertThat(Scrape.of("<html>hello</html>".getBytes(StandardCharsets.UTF_8))
                        .isForeign())
                .isTrue();
    }

    /** The recorded ones: 30,200 came through this server, 60,400 are stored. */
    @Test
    void theBacklogIsWhatWasAcceptedAndIsNotStoredSinceTheBeginning() {
        Backlog backlog = new Backlog();
        backlog.write(List.of(chat(30_200), consumer(60_400)), sink);
        assertThat(sink.gauges).containsEntry("consumer.depth", 0.0);
        backlog.write(List.of(chat(35_200), consumer(62_400)), sink);
        assertThat(sink.gauges).containsEntry("consumer.depth", 3_000.0);
        // Asked a moment later, the consumer may be ahead of what the servers said.
        backlog.write(List.of(chat(35_200), consumer(65_401)), sink);
        assertThat(sink.gauges).containsEntry("consumer.depth", 0.0);
    }

    @Test
    void ofProgramsStartedTogetherTheBacklogIsKnownFromTheFirstLookOn() {
        Backlog backlog = new Backlog();
        backlog.write(List.of(chat(61_400), behind()), sink);
        assertThat(sink.gauges).containsEntry("consumer.depth", 1_000.0);
    }

    @Test
    void theBacklogIsUnknownWhereThereWasOneBeforeAndCountersDoNotMatch() {
        Backlog backlog = new Backlog();
        backlog.write(List.of(chat(30_200), behind()), sink);
        backlog.write(List.of(chat(30_200), consumer(60_400)), sink);
        assertThat(sink.gauges).isEmpty();
    }

    @Test
    void theBacklogIsUnknownOnceAProgramWasStartedAgain() {
        Backlog backlog = new Backlog();
        backlog.write(List.of(chat(60_400), consumer(60_400)), sink);
        sink.gauges.clear();
        Scrape restarted = Scrape.of(Recorded.changed("chat-server.prom.txt", "1.795231238034E9", "1.795231299999E9"));
        backlog.write(List.of(restarted, consumer(60_400)), sink);
        backlog.write(List.of(chat(60_400), consumer(60_400)), sink);
        assertThat(sink.gauges).isEmpty();
    }

    private static Scrape behind() {
        String lag = "persistence_lag_seconds{partition=\"2\"} ";
        return Scrape.of(Recorded.changed("consumer.prom.txt", lag + "0.0", lag + "9.0"));
    }

    private static Scrape chat(int accepted) {
        return Scrape.of(Recorded.changed(
                "chat-server.prom.txt",
                "chat_log_messages_accepted_total 30200.0",
                "chat_log_messages_accepted_total " + accepted));
    }

    private static Scrape consumer(int stored) {
        return Scrape.of(Recorded.changed(
                "consumer.prom.txt", "persistence_stored_total 60400.0", "persistence_stored_total " + stored));
    }
}
