package chat.load.lab.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.lab.child.FakeClient;
import chat.load.lab.query.FakeRest.Instead;
import chat.load.lab.query.QueryPlan.Subjects;
import chat.load.lab.query.QueryRun.Unusable;
import chat.load.lab.query.QuerySummary.Asked;
import chat.load.plan.Pacing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Against a REST of its own that answers right, wrong, late, or not at all. */
@Timeout(240)
class QueryRunTest {
    private static final Subjects ANYTHING = new Subjects(List.of(), null, List.of(), null, null);

    @TempDir
    private Path folder;

    @Test
    void everyQueryIsAskedAsOftenAsPlannedAndPasses() throws Exception {
        try (FakeRest rest = new FakeRest(2500, "7", "lobby")) {
            QuerySummary summary = run(plan(rest, List.of(), ANYTHING, 20));
            assertThat(summary.verdict().checks()).extracting(Check::status).containsOnly(Status.PASS, Status.SKIPPED);
            assertThat(summary.passed()).isTrue();
            assertThat(summary.unsupported()).isEmpty();
            assertThat(summary.queries()).hasSize(16).allSatisfy(asked -> {
                assertThat(asked.answers()).isEqualTo(20);
                assertThat(asked.statuses()).containsOnlyKeys("200");
            });
            assertThat(asked(summary, "Q1").rowsPerAnswer()).isPositive();
            assertThat(asked(summary, "Q1").met()).isNotNull();
            assertThat(asked(summary, "top-users").met()).isNull();
            assertThat(summary.plan().rooms()).isEqualTo(2);
            assertThat(summary.plan().users()).isEqualTo(5);
            assertThat(QueryTable.of(summary)).contains("Q1 ", "< 100", "200 x 20", "\nPASS\n");
        }
    }

    @Test
    void aQueryThatTheServerLacksIsNamedAndTheOthersAreShown() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            rest.answers("/rooms", Instead.status(404));
            rest.answers("/active-users", new Instead(200, "text/html", "<html>the page</html>", null));
            rest.answers("/api/metrics", new Instead(200, "application/json", "[]", null));
            QuerySummary summary = run(plan(rest, List.of("Q1", "Q3", "Q4", "metrics"), ANYTHING, 5));
            assertThat(summary.passed()).isTrue();
            assertThat(summary.unsupported()).containsOnlyKeys("Q3", "Q4", "metrics");
            assertThat(QueryTable.of(summary))
                    .contains("Q4: not supported by this server (404 from /api/users/")
                    .contains("Q3: not supported by this server (200 from /api/analytics/active-users, and no JSON)")
                    .contains("Q1 ");
        }
    }

    @Test
    void serverWithoutTheRequestedQueryIsUnusable() {
        try (FakeRest rest = new FakeRest(300, "7")) {
            rest.answers("/active-users", Instead.status(501));
            assertThatThrownBy(() -> run(plan(rest, List.of("q3"), ANYTHING, 5)))
                    .isInstanceOf(Unusable.class)
                    .hasMessage("Q3: not supported by this server (501 from /api/analytics/active-users)");
        }
    }

    @Test
    void unreachableServerIsUnusable() {
        FakeRest rest = new FakeRest(1, "7");
        rest.close();
        assertThatThrownBy(() -> run(plan(rest, List.of(), ANYTHING, 5)))
                .isInstanceOf(Unusable.class)
                .hasMessageContaining("no answer from http://127.0.0.1:");
    }

    @Test
    void roomsWithoutMessagesAreUnusable() {
        try (FakeRest rest = new FakeRest(0, "7")) {
            assertThatThrownBy(() -> run(plan(rest, List.of(), ANYTHING, 5)))
                    .isInstanceOf(Unusable.class)
                    .hasMessageContaining("no room with messages was found");
        }
    }

    @Test
    void aRunsRoomsAreFoundByItsName() throws Exception {
        try (FakeRest rest = new FakeRest(50, "r1-0", "r1-1", "r1-2", "other")) {
            QuerySummary summary =
                    run(plan(rest, List.of("Q1"), new Subjects(List.of(), "r1", List.of(), null, null), 20));
            assertThat(summary.plan().rooms()).isEqualTo(3);
            assertThat(rest.asked("/other/messages")).isZero();
        }
    }

    @Test
    void onlyTheTimesGivenAreAskedAbout() throws Exception {
        try (FakeRest rest = new FakeRest(1000, "7")) {
            Subjects subjects = new Subjects(
                    List.of("7"), null, List.of("3"), FakeRest.START.plusSeconds(10), FakeRest.START.plusSeconds(20));
            QuerySummary summary = run(plan(rest, List.of("Q1", "Q2"), subjects, 50));
            assertThat(summary.passed()).isTrue();
            assertThat(asked(summary, "Q1").rowsPerAnswer()).isPositive().isLessThanOrEqualTo(100);
            assertThat(rest.targets())
                    .filteredOn(target -> target.contains("/users/"))
                    .allSatisfy(
                            target -> assertThat(target).startsWith("/api/users/3/messages?from=2026-11-20T10:00:1"));
        }
    }

    @Test
    void oneSeedAsksTheSameAgain() throws Exception {
        try (FakeRest rest = new FakeRest(500, "7")) {
            run(plan(rest, List.of("Q1", "Q4"), ANYTHING, 20));
            List<String> first = rest.targets();
            run(plan(rest, List.of("Q1", "Q4"), ANYTHING, 20));
            assertThat(rest.targets().subList(first.size(), 2 * first.size()))
                    .containsExactlyInAnyOrderElementsOf(first);
        }
    }

    @Test
    void rowsOfAnotherRoomAreFlagged() throws Exception {
        assertFlagged(
                "/messages", truth -> truth.replace("\"roomId\":\"7\"", "\"roomId\":\"8\""), "room 8 was answered");
    }

    @Test
    void aDescendingPageIsFlagged() throws Exception {
        assertFlagged(
                "/messages",
                truth -> truth.replace("\"position\":\"1000014\"", "\"position\":\"1000000\""),
                "position 1000000 comes after 1000007");
    }

    @Test
    void aRowOutsideOfTheRangeIsFlagged() throws Exception {
        assertFlagged(
                "/messages",
                truth -> truth.replaceFirst("\"timestamp\":\\d+", "\"timestamp\":1"),
                "timestamp 1 is outside of the range");
    }

    @Test
    void aNextPageThatSkipsIsFlagged() throws Exception {
        assertFlagged(
                "/messages",
                truth -> truth.replace("\"next\":null", "\"next\":\"99999999\""),
                "next is 99999999, the page ends at");
    }

    @Test
    void malformedJsonIsFlagged() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            rest.lies("/active-users", truth -> truth + "}");
            QuerySummary summary = run(plan(rest, List.of("Q3"), ANYTHING, 5));
            assertThat(failed(summary, "answers are JSON").count()).isEqualTo(5 + 2);
            assertThat(failed(summary, "answers are JSON").examples())
                    .first()
                    .asString()
                    .contains("{\"activeUsers\":5}}");
        }
    }

    @Test
    void messagesLostBetweenPagesAreFlagged() throws Exception {
        try (FakeRest rest = new FakeRest(4000, "7")) {
            rest.skipsAtEdges();
            QuerySummary summary = run(plan(rest, List.of("Q1"), ANYTHING, 5));
            assertThat(failed(summary, "pages follow each other without loss").examples())
                    .first()
                    .asString()
                    .contains("only backwards");
        }
    }

    @Test
    void errorsFailTheRunAndAreShown() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            rest.answers("/active-users", Instead.status(500));
            QuerySummary summary = run(plan(rest, List.of("Q3", "Q4"), ANYTHING, 5, 0, 2, null, true));
            assertThat(summary.passed()).isFalse();
            assertThat(asked(summary, "Q3").statuses()).containsEntry("500", 5L);
            assertThat(asked(summary, "Q3").met()).isFalse();
            assertThat(failed(summary, "p99 is under the target").examples()).contains("Q3 was never answered");
            assertThat(QueryTable.of(summary)).contains("500 x 5", "500 from http://127.0.0.1", "\nFAIL\n");
        }
    }

    @Test
    void aBusyServerIsAskedAgainAndTheClockGoesOn() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            Instead busy = new Instead(503, "application/problem+json", "{\"detail\":\"full\"}", "1");
            // The first goes to finding out whether the query is there.
            rest.answersFirst("/active-users", Instead.status(503), busy);
            QuerySummary summary = run(plan(rest, List.of("Q3"), ANYTHING, 4, 0, 1, null, true));
            assertThat(failedChecks(summary)).containsExactly("p99 is under the target");
            assertThat(asked(summary, "Q3").statuses()).containsEntry("503", 1L).containsEntry("200", 4L);
            assertThat(asked(summary, "Q3").retries()).isEqualTo(1);
            assertThat(summary.latencyMillis().get("Q3"))
                    .satisfies(latency -> assertThat(latency.max()).isGreaterThanOrEqualTo(1000));
        }
    }

    @Test
    void aServerThatStaysBusyIsAnError() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            rest.answers("/active-users", new Instead(503, "application/problem+json", "{}", "0"));
            QuerySummary summary = run(plan(rest, List.of("Q3"), ANYTHING, 2, 0, 1, null, true));
            assertThat(failed(summary, "every question was answered").count()).isEqualTo(2);
            assertThat(asked(summary, "Q3").statuses()).containsEntry("503", 12L);
        }
    }

    @Test
    void anAnswerThatDoesNotComeIsAnError() throws Exception {
        try (FakeRest rest = new FakeRest(300, "7")) {
            QueryPlan plan = new QueryPlan(
                    List.of(rest.url()),
                    List.of("Q3"),
                    new Subjects(List.of("7"), null, List.of(), null, null),
                    2,
                    null,
                    0,
                    2,
                    null,
                    Duration.ofMillis(500),
                    true,
                    1,
                    List.of());
            rest.lies("/active-users", truth -> {
                rest.delaysAll(60_000);
                return truth;
            });
            QuerySummary summary = run(plan);
            assertThat(asked(summary, "Q3").statuses()).containsEntry("none", 2L);
            assertThat(failed(summary, "every question was answered").examples())
                    .first()
                    .asString()
                    .contains("within 500 ms");
        }
    }

    @Test
    void aMissedTargetFailsTheRunUnlessItIsIgnored() throws Exception {
        try (FakeRest rest = new FakeRest(100, "7")) {
            rest.delaysAll(60);
            QuerySummary judged = run(plan(rest, List.of("Q1", "Q4"), ANYTHING, 2, 0, 2, null, true));
            assertThat(failedChecks(judged)).containsExactly("p99 is under the target");
            // On a busy machine Q1 may miss its 100 ms as well.
            assertThat(failed(judged, "p99 is under the target").examples())
                    .anyMatch(example -> example.startsWith("Q4: ") && example.endsWith("target 50 ms"));
            assertThat(run(plan(rest, List.of("Q1", "Q4"), ANYTHING, 2, 0, 2, null, false))
                            .passed())
                    .isTrue();
        }
    }

    @Test
    void openLoopCountsFromTheIntendedTime() throws Exception {
        try (FakeRest rest = new FakeRest(100, "7")) {
            rest.delaysAll(50);
            // One asker can do 20 per second at most; the tenth of 1,000 per second waits for nine others.
            QuerySummary summary = run(plan(rest, List.of("Q3"), ANYTHING, 10, 0, 1, new Pacing.Rate(1000), true));
            assertThat(asked(summary, "Q3").answers()).isEqualTo(10);
            assertThat(summary.latencyMillis().get("Q3"))
                    .satisfies(latency -> assertThat(latency.max()).isGreaterThanOrEqualTo(450));
            assertThat(QueryTable.of(summary)).contains("open loop");
        }
    }

    @Test
    void askingEndsWithTheChatAtTheSameTime() throws Exception {
        try (FakeRest rest = new FakeRest(100, "7")) {
            QuerySummary summary = run(during(rest, "fanout", "--sends", "1000"), FakeClient.command());
            assertThat(summary.passed()).isTrue();
            assertThat(asked(summary, "Q3").answers()).isPositive();
            QuerySummary.Ingest ingest = Objects.requireNonNull(summary.ingest());
            assertThat(ingest.messagesPerSecond()).isEqualTo(1000.0);
            assertThat(ingest.summary())
                    .isEqualTo(folder.resolve("summary.json").toString());
            assertThat(QueryTable.of(summary)).contains("at the same time: fanout --sends 1000", "PASS  1,000 sends/s");
        }
    }

    @Test
    void aChatThatFailsFailsTheRunAndIsQuoted() throws Exception {
        try (FakeRest rest = new FakeRest(100, "7")) {
            QuerySummary summary =
                    run(during(rest, "fanout", "--say", "a message was lost", "--exit", "1"), FakeClient.command());
            assertThat(failedChecks(summary)).containsExactly("the chat at the same time passed");
            assertThat(QueryTable.of(summary)).contains("FAIL, exit code 1", "| fake client a message was lost");
        }
    }

    @Test
    void aChatThatCannotBeStartedIsUnusable() {
        try (FakeRest rest = new FakeRest(100, "7")) {
            assertThatThrownBy(() -> run(during(rest, "fanout"), List.of("/no/such/program")))
                    .isInstanceOf(Unusable.class)
                    .hasMessageContaining("/no/such/program");
        }
    }

    private static QueryPlan during(FakeRest rest, String... ingest) {
        return new QueryPlan(
                List.of(rest.url()),
                List.of("Q3"),
                ANYTHING,
                2,
                null,
                0,
                0,
                null,
                Duration.ofSeconds(10),
                false,
                1,
                List.of(ingest));
    }

    private void assertFlagged(String ending, UnaryOperator<String> lie, String words) throws Exception {
        try (FakeRest rest = new FakeRest(30, "7")) {
            // Responses to discovery requests are not checked.
            Subjects all = new Subjects(List.of("7"), null, List.of(), FakeRest.START, FakeRest.START.plusSeconds(1));
            rest.lies(ending, lie);
            QuerySummary summary = run(plan(rest, List.of("Q1"), all, 3));
            assertThat(summary.passed()).isFalse();
            assertThat(failed(summary, "answers hold what was asked for, in order")
                            .examples())
                    .first()
                    .asString()
                    .contains(words, "http://127.0.0.1:");
        }
    }

    private static Asked asked(QuerySummary summary, String name) {
        return summary.queries().stream()
                .filter(asked -> asked.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> failedChecks(QuerySummary summary) {
        return summary.verdict().checks().stream()
                .filter(check -> check.status() == Status.FAIL)
                .map(Check::name)
                .toList();
    }

    private static Check failed(QuerySummary summary, String name) {
        return summary.verdict().checks().stream()
                .filter(check -> check.name().equals(name) && check.status() == Status.FAIL)
                .findFirst()
                .orElseThrow(() -> new AssertionError(summary.verdict().toString()));
    }

    private static QueryPlan plan(FakeRest rest, List<String> queries, Subjects subjects, int iterations) {
        return plan(rest, queries, subjects, iterations, 2, 4, null, false);
    }

    private static QueryPlan plan(
            FakeRest rest,
            List<String> queries,
            Subjects subjects,
            int iterations,
            int warmup,
            int concurrency,
            Pacing.@Nullable Rate rate,
            boolean judgeTargets) {
        return new QueryPlan(
                List.of(rest.url()),
                queries,
                subjects,
                concurrency,
                rate,
                warmup,
                iterations,
                null,
                Duration.ofSeconds(10),
                judgeTargets,
                1,
                List.of());
    }

    private QuerySummary run(QueryPlan plan) throws Unusable, InterruptedException {
        return run(plan, List.of());
    }

    private QuerySummary run(QueryPlan plan, List<String> client) throws Unusable, InterruptedException {
        try (QueryRun run = new QueryRun(plan, client, folder)) {
            return run.run();
        }
    }
}
