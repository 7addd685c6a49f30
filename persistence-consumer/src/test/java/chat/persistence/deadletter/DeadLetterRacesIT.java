package chat.persistence.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.Database;
import chat.persistence.batch.Batch;
import chat.persistence.batch.MessageRow;
import chat.persistence.rollup.Stored;
import chat.protocol.ChatMessage;
import chat.protocol.Member;
import chat.protocol.MessageJson;
import chat.protocol.MessageType;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two people deal with one letter: what both have read before either was done. */
class DeadLetterRacesIT {
    private Stored stored;
    private DeadLetters letters;

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        stored = new Stored();
        letters = new DeadLetters(stored.pools.reading(), stored.pools.writing(), stored.store);
    }

    @AfterEach
    void end() {
        stored.close();
    }

    /** Open, and storable by now. */
    private StoredDeadLetter letter() throws Exception {
        UUID id = new UUID(0x7000, 1);
        byte[] json = MessageJson.encode(new ChatMessage(id, new Member("42", "alice42"), MessageType.TEXT, "hi", 1));
        MessageRow row =
                new MessageRow(id, "7", "42", "alice42", MessageType.TEXT, "hi", 1, 5, "server-1", "10.1.2.3", json);
        stored.store.write(
                new Batch(0, List.of(), List.of(row.refused("then")), List.of(), null, Batch.Cause.SIZE, false),
                null,
                false);
        return letters.find(Database.number("SELECT id FROM dead_letter")).orElseThrow();
    }

    @Test
    void letterDiscardedDuringReplayCountsAsReplayed() throws Exception {
        StoredDeadLetter read = letter();
        assertThat(letters.resolve(read.id(), StoredDeadLetter.State.DISCARDED)).isTrue();
        assertThat(letters.replay(read)).isEqualTo(new DeadLetters.Outcome.Replayed(1));
        assertThat(letters.find(read.id()).orElseThrow().state()).isEqualTo(StoredDeadLetter.State.REPLAYED);
        assertThat(letters.resolve(read.id(), StoredDeadLetter.State.DISCARDED)).isFalse();
    }

    @Test
    void concurrentReplaysStoreOnce() throws Exception {
        StoredDeadLetter read = letter();
        assertThat(letters.replay(read)).isEqualTo(new DeadLetters.Outcome.Replayed(1));
        assertThat(letters.replay(read)).isEqualTo(new DeadLetters.Outcome.Replayed(0));
        assertThat(stored.rollups.check().equal()).isTrue();
        assertThat(Database.number("SELECT messages FROM rollup_state")).isEqualTo(1);
    }
}
