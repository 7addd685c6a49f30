package chat.load.lab.query;

import chat.load.lab.query.RestClient.Reply;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads parts of rooms page by page, forwards in large pages and backwards in small ones: both must return the same
 * messages. Only this check finds a page that skips or repeats messages at its edge.
 */
final class ChainCheck {
    private static final int STRETCHES = 5;
    private static final int MAX_MESSAGES = 5_000;
    private static final int FORWARDS = 1000;
    /** Not a divisor of the other page size, so that page edges differ. */
    private static final int BACKWARDS = 317;

    private final RestClient rest;
    private final Questions questions;
    private final Judgement judgement;

    ChainCheck(RestClient rest, Questions questions, Judgement judgement) {
        this.rest = rest;
        this.questions = questions;
        this.judgement = judgement;
    }

    void run(long seed) throws InterruptedException {
        Random random = new Random(seed);
        for (int i = 0; i < STRETCHES; i++) {
            Question asked = questions.question(Catalogue.roomMessages(), random);
            try {
                check(asked);
            } catch (IOException failed) {
                judgement.unanswered(String.valueOf(failed.getMessage()));
            }
        }
    }

    private void check(Question asked) throws IOException, InterruptedException {
        List<Long> forwards = new ArrayList<>();
        Long next = asked.from() == null ? null : Long.valueOf(0);
        while (next != null && forwards.size() < MAX_MESSAGES) next = read(asked, next, null, FORWARDS, forwards);
        if (forwards.isEmpty()) return;
        List<Long> backwards = new ArrayList<>();
        Long previous = forwards.getLast() + 1;
        while (previous != null && backwards.size() <= forwards.size()) {
            List<Long> page = new ArrayList<>();
            previous = read(asked, null, previous, BACKWARDS, page);
            backwards.addAll(page.reversed());
        }
        Collections.reverse(backwards);
        if (forwards.equals(backwards)) return;
        List<Long> missing = new ArrayList<>(forwards);
        missing.removeAll(Collections.unmodifiableList(backwards));
        List<Long> more = new ArrayList<>(backwards);
        more.removeAll(Collections.unmodifiableList(forwards));
        judgement.broken(
                "room " + asked.roomId() + " from " + asked.from() + " to " + asked.to() + ": " + forwards.size()
                        + " messages forwards, " + backwards.size() + " backwards" + first("; only forwards", missing)
                        + first("; only backwards", more));
    }

    private static String first(String what, List<Long> positions) {
        return positions.isEmpty() ? "" : what + " " + positions.getFirst();
    }

    /** @return where the next page begins; null if there is none or it makes no progress */
    private @Nullable Long read(
            Question asked, @Nullable Long after, @Nullable Long before, int limit, List<Long> positions)
            throws IOException, InterruptedException {
        Instant from = asked.from();
        Instant to = asked.to();
        Question page = new Question(asked.query(), asked.roomId(), null, after, before, from, to, limit);
        Reply reply = rest.get(0, page.target());
        JsonNode answer = reply.status() == 200 ? reply.json() : null;
        if (answer == null) throw new IOException(reply.inWords());
        for (JsonNode row : answer.path("messages")) positions.add(AnswerChecks.position(row.path("position")));
        long next = AnswerChecks.position(answer.path("next"));
        if (next < 0) return null;
        boolean getsOn = after != null ? next > after : before != null && next < before;
        if (!getsOn) judgement.broken(reply.uri() + " names " + next + " as its next page");
        return getsOn ? next : null;
    }
}
