package chat.launcher.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Counts messages by what became of them, from the verdict of a load.
 *
 * @param accepted messages whose senders received an ACK
 * @param lost accepted messages without a row, and messages that a member did not receive
 * @param doubled duplicate rows and deliveries
 * @param phantom rows and deliveries that were never sent or were rejected, or have another text or sender
 * @param reordered rows and deliveries out of order
 */
record Counts(long accepted, long lost, long doubled, long phantom, long reordered) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0);

    /** @param folder the {@code --out} of a finished load */
    static Counts read(Path folder) {
        try {
            JsonNode verdict = JsonMapper.shared()
                    .readTree(Files.readAllBytes(folder.resolve("summary.json")))
                    .path("verdict");
            return new Counts(
                    count(verdict, "accepted"),
                    count(verdict, "lost") + count(verdict, "missing"),
                    count(verdict, "doubled"),
                    count(verdict, "phantom"),
                    count(verdict, "outOfOrder"));
        } catch (IOException | JacksonException unreadable) {
            throw new ChaosFailure("cannot read the verdict of the load: " + unreadable);
        }
    }

    private static long count(JsonNode verdict, String name) {
        JsonNode value = verdict.path(name);
        if (!value.isIntegralNumber()) throw new ChaosFailure("the verdict of the load has no count " + name);
        return value.longValue();
    }

    Counts plus(Counts other) {
        return new Counts(
                accepted + other.accepted,
                lost + other.lost,
                doubled + other.doubled,
                phantom + other.phantom,
                reordered + other.reordered);
    }
}
