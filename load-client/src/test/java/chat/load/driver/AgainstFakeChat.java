package chat.load.driver;

import chat.load.check.Checker;
import chat.load.check.RunHistory;
import chat.load.check.Verdict;
import chat.load.check.Verdict.Check;
import chat.load.check.Verdict.Status;
import chat.load.dialect.Dialect;
import chat.load.dialect.Dialects;
import chat.load.driver.FakeChat.Faults;
import chat.load.plan.Backoff;
import chat.load.plan.Plan;
import chat.load.plan.RunIds;
import chat.load.report.Counters;
import chat.load.report.Samples;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Whole runs of a plan against a fake platform on two ports. */
abstract class AgainstFakeChat {
    private static final Backoff QUICK = new Backoff(20, 200);

    final Faults faults = new Faults();
    Dialect dialect = Dialects.confab();
    /** Servers that are not there, besides those that are. */
    final List<ServerUrl> absent = new ArrayList<>();

    final Counters counters = new Counters();
    final Samples samples = new Samples();
    final List<String> phases = new ArrayList<>();
    Verdict verdict = new Verdict(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, List.of());
    private ChatRun.@Nullable Result result;

    ChatRun.Result result() {
        if (result == null) throw new IllegalStateException("nothing was run");
        return result;
    }

    void run(Plan plan, boolean askStorage) throws Exception {
        try (FakeChat chat = new FakeChat(2, faults)) {
            List<ServerUrl> urls = chat.urls();
            HistoryReader storage = new HistoryReader(
                    URI.create("http://127.0.0.1:" + urls.getLast().port()), plan, null);
            ChatRun.Result ran = ChatRun.run(
                    plan,
                    RunIds.random(System.currentTimeMillis()),
                    new ChatRun.Surroundings(
                            dialect,
                            Stream.concat(urls.stream(), absent.stream()).toList(),
                            2,
                            QUICK,
                            counters,
                            samples,
                            System.nanoTime(),
                            null,
                            askStorage ? storage : null,
                            phases::add));
            result = ran;
            RunHistory history = ran.history();
            if (askStorage)
                history = history.with(storage.read(history.rooms(), ran.sent(), stored -> {}), history.aborted());
            verdict = Checker.check(history).and(ran.expectations());
        }
    }

    List<String> failed() {
        return verdict.checks().stream()
                .filter(check -> check.status() == Status.FAIL)
                .map(Check::name)
                .toList();
    }

    String failures() {
        return verdict.checks().stream()
                .filter(check -> check.status() == Status.FAIL)
                .toList()
                .toString();
    }

    Check check(String name) {
        return verdict.checks().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
