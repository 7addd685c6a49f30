package chat.bench.writing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/** Generates messages, uniform over many users and rooms: the worst case for an index by user. Not thread-safe. */
final class Messages {
    static final int ROOMS = 1_000;
    static final int USERS = 100_000;
    private static final int TEXT_LENGTH = 100;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz      ";

    private final SplittableRandom random;
    private final String[] texts = new String[1_000];
    private long position;

    /** @param writer number of the writer, different for concurrent writers */
    Messages(int writer) {
        random = new SplittableRandom(writer);
        position = (System.currentTimeMillis() << 20) + ((long) writer << 40);
        for (int i = 0; i < texts.length; i++) texts[i] = text();
    }

    private String text() {
        StringBuilder text = new StringBuilder(TEXT_LENGTH);
        for (int i = 0; i < TEXT_LENGTH; i++) text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
        return text.toString();
    }

    Row next() {
        long now = System.currentTimeMillis();
        int user = 1 + random.nextInt(USERS);
        return new Row(id(now), position++, now, 1 + random.nextInt(ROOMS), user, "user" + user, anyText());
    }

    String anyText() {
        return texts[random.nextInt(texts.length)];
    }

    /** Returns a UUIDv7. */
    UUID id(long now) {
        return new UUID((now << 16) | 0x7000 | random.nextInt(4096), (random.nextLong() >>> 2) | (1L << 63));
    }

    List<Row> next(int count) {
        List<Row> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) rows.add(next());
        return rows;
    }
}
