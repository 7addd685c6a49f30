package chat.load.plan;

import java.util.Random;
import java.util.stream.IntStream;

/**
 * Generates the members' texts: the sender's place, or a place in a pool, then filler. The same seed gives the same
 * text; it is ASCII that needs no escapes. Immutable: senders generate texts themselves, so that none waits for a generator.
 */
public final class Texts {
    private static final int FILLER = 1024;
    /** Spreads consecutive numbers over the pool (the golden ratio's fraction of 2^32). */
    private static final int SPREAD = 0x9E37_79B9;

    private final Numbering numbering;
    private final Users users;
    private final int payload;
    private final String filler;
    private final String[] pool;

    /** Texts of a plan; one whose place needs more than the payload is longer. */
    public Texts(Plan plan) {
        this.numbering = plan.numbering();
        this.users = plan.users();
        this.payload = plan.traffic().payload();
        Random random = new Random(plan.seed());
        StringBuilder letters = new StringBuilder(FILLER);
        for (int i = 0; i < FILLER; i++) letters.append((char) ('a' + random.nextInt(26)));
        this.filler = letters.toString();
        this.pool = IntStream.range(0, plan.traffic().texts())
                .mapToObj(text -> filled(new StringBuilder("text ").append(text + 1), text))
                .toArray(String[]::new);
    }

    public String text(int room, int inRoom) {
        if (pool.length > 0)
            return pool[Integer.remainderUnsigned(numbering.global(room, inRoom) * SPREAD, pool.length)];
        int user = numbering.userOf(inRoom);
        StringBuilder place = new StringBuilder(payload + 32)
                .append("room ")
                .append(room)
                .append(" from ")
                .append(users.name(room, user))
                .append(" no ")
                .append(numbering.sequenceOf(inRoom));
        return filled(place, inRoom);
    }

    private String filled(StringBuilder text, int number) {
        int missing = payload - text.length() - 1;
        if (missing > 0) {
            int from = (number & 0x1FF) % (FILLER - missing);
            text.append(' ').append(filler, from, from + missing);
        }
        return text.toString();
    }
}
