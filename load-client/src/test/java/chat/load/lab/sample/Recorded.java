package chat.load.lab.sample;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Answers of running programs, with lines left out. */
final class Recorded {
    private Recorded() {}

    static byte[] bytes(String name) {
        try (InputStream file = Objects.requireNonNull(Recorded.class.getResourceAsStream(name), name)) {
            return file.readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** With other numbers: each pair is a text and what replaces it. */
    static byte[] changed(String name, String... pairs) {
        String text = new String(bytes(name), StandardCharsets.UTF_8);
        for (int i = 0; i < pairs.length; i += 2) {
            if (!text.contains(pairs[i])) throw new IllegalArgumentException(name + " has no " + pairs[i]);
            text = text.replace(pairs[i], pairs[i + 1]);
        }
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
