package chat.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Two members that chat during attacks: each of their texts must be accepted and delivered. */
final class Bystanders {
    private final Guest speaker;
    private final Guest listener;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final CountDownLatch enough = new CountDownLatch(1);
    private final Thread talk;

    Bystanders(TestServer server, String room) {
        speaker = Guest.connect(server, room, 90_001).joined();
        listener = Guest.connect(server, room, 90_002).joined();
        talk = Thread.startVirtualThread(this::talk);
    }

    private void talk() {
        try {
            do {
                String text = "all is well " + said.size();
                said.add(text);
                speaker.awaitAck(speaker.text(text));
            } while (!enough.await(20, TimeUnit.MILLISECONDS));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the talk. */
    void assertUndisturbed() throws InterruptedException {
        enough.countDown();
        talk.join();
        assertThat(speaker.acks()).as("each text was accepted").hasSize(said.size());
        for (Guest bystander : List.of(speaker, listener)) {
            bystander.await("every text", () -> bystander.texts().size() >= said.size());
            assertThat(bystander.texts()).isEqualTo(said);
            assertThat(bystander.frames("ERROR")).isEmpty();
            assertThat(bystander.isClosed()).isFalse();
            bystander.close();
        }
    }
}
