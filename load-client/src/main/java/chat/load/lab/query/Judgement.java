package chat.load.lab.query;

import chat.load.check.Verdict.Check;
import chat.load.lab.query.RestClient.Reply;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Collects the results of all checks of answers. Thread-safe. */
final class Judgement {
    private final Findings answered = new Findings("every question was answered");
    private final Findings json = new Findings("answers are JSON");
    private final Findings right = new Findings("answers hold what was asked for, in order");
    private final Findings chains = new Findings("pages follow each other without loss");
    private final Findings targets = new Findings("p99 is under the target");
    private final Findings ingested = new Findings("the chat at the same time passed");

    /** Which checks are made; the others are skipped. */
    record Scope(boolean pages, boolean targets, boolean ingest) {}

    void unanswered(String example) {
        answered.add(example);
    }

    void broken(String example) {
        chains.add(example);
    }

    void tooSlow(String example) {
        targets.add(example);
    }

    void ingestFailed(String example) {
        ingested.add(example);
    }

    /**
     * Checks an answer with status 200.
     *
     * @return the answer; null if it is not JSON
     */
    @Nullable
    JsonNode judge(Question asked, Reply reply) {
        JsonNode answer = reply.json();
        if (answer == null) json.add(reply.inWords());
        else if (!asked.query().isAnswer(answer)) right.add("no answer to that question: " + reply.inWords());
        else asked.query().check().check(asked, answer, wrong -> right.add(wrong + ": " + reply.uri()));
        return answer;
    }

    /** Number of faults in answers so far. */
    long faults() {
        return answered.count() + json.count() + right.count() + chains.count();
    }

    List<Check> checks(Scope scope) {
        return List.of(
                answered.judged(),
                json.judged(),
                right.judged(),
                scope.pages() ? chains.judged() : chains.skipped(),
                scope.targets() ? targets.judged() : targets.skipped(),
                scope.ingest() ? ingested.judged() : ingested.skipped());
    }
}
