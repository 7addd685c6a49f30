package chat.persistence.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.batch.Mark;
import chat.persistence.ingest.PartitionStatus.State;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

class PartitionProgressTest {
    private static final Mark STORED = new Mark(2047, 1, 0, 5, 1);
    private static final Mark NEXT = new Mark(4095, 1, 1, 5, 2);

    private final PartitionProgress progress =
            new PartitionProgress(3, Clock.fixed(Instant.ofEpochSecond(100), ZoneOffset.UTC));

    private static PartitionStatus status(State state, String position, int waiting, double lag) {
        return new PartitionStatus(3, state, position, waiting, lag);
    }

    @Test
    void lagIsTheAgeOfTheOldestWaitingMessage() {
        progress.attaching(STORED);
        assertThat(progress.status()).isEqualTo(status(State.ATTACHING, "2047", 0, 0));
        progress.read(2, 98_000);
        progress.read(3, 98_000);
        assertThat(progress.status()).isEqualTo(status(State.READING, "2047", 3, 2));
        progress.writing();
        assertThat(progress.status()).isEqualTo(status(State.READING, "2047", 3, 2));
        progress.stored(NEXT);
        assertThat(progress.status()).isEqualTo(status(State.READING, "4095", 0, 0));
    }

    @Test
    void waitingMessagesStayWhileTheLogIsUnavailable() {
        progress.attaching(STORED);
        progress.read(2, 98_000);
        progress.logDetached();
        assertThat(progress.status()).isEqualTo(status(State.ATTACHING, "2047", 2, 2));
        progress.logAttached();
        assertThat(progress.status()).isEqualTo(status(State.READING, "2047", 2, 2));
    }

    @Test
    void batchStoredWhileTheLogIsUnavailableDoesNotReportReading() {
        progress.attaching(STORED);
        progress.read(2, 98_000);
        progress.logDetached();
        progress.writing();
        progress.stored(NEXT);
        assertThat(progress.status()).isEqualTo(status(State.ATTACHING, "4095", 0, 0));
    }

    @Test
    void closedReaderHasNothingWaiting() {
        progress.attaching(STORED);
        progress.read(2, 98_000);
        progress.closed(State.FENCED);
        assertThat(progress.status()).isEqualTo(status(State.FENCED, "2047", 0, 0));
    }

    @Test
    void lagStaysIfWaitingMessagesAreAbandoned() {
        progress.attaching(STORED);
        progress.read(2, 98_000);
        progress.writing();
        progress.stopped();
        assertThat(progress.status()).isEqualTo(status(State.STOPPED, "2047", 0, 2));
    }
}
