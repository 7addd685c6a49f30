package chat.load.plan;

import java.util.Random;

/**
 * Generates the members' texts: the sender's place, then filler. The same seed gives the same text; it is ASCII that
 * needs no escapes.
 */
public final class Texts {
    private static final int FILLER = 1024;

    private final Numbering numbering;
    private final int payload;
    private final String filler;

    /** @param payload minimum length in bytes; a text whose place needs more is longer */
    public Texts(Numbering numbering, int payload, long seed) {
        this.numbering = numbering;
        this.payload = payload;
        Random random = new Random(seed);
        StringBuilder letters = new StringBuilder(FILLER);
        for (int i = 0; i < FILLER; i++) letters.append((char) ('a' + random.nextInt(26)));
        this.filler = letters.toString();
    }

    public String text(int room, int inRoom) {
        int user = numbering.userOf(inRoom);
        StringBuilder text = new StringBuilder(payload + 32)
                .append("room ")
                .append(room)
                .append(" from ")
                .append(numbering.username(room, user))
                .append(" no ")
                .append(numbering.sequenceOf(inRoom));
        int missing = payload - text.length() - 1;
        if (missing > 0) {
            int from = (inRoom & 0x1FF) % (FILLER - missing);
            text.append(' ').append(filler, from, from + missing);
        }
        return text.toString();
    }
}
