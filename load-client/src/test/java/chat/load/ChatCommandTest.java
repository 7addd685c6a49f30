package chat.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.load.plan.Arrivals;
import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Plan;
import chat.load.plan.Scenario;
import chat.load.plan.Scenarios;
import chat.load.plan.WarmUp;
import chat.load.run.ScenarioRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** From what is typed after a scenario's name to its plan. */
class ChatCommandTest {
    static Stream<String> scenarios() {
        return Scenarios.ALL.stream().map(Scenario::name);
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void defaultsOfEveryScenarioMakeAPlan(String scenario) {
        Plan plan = plan(scenario);
        assertThat(plan.scenario()).isEqualTo(scenario);
        assertThat(plan.numbering().total()).isPositive();
        // As it goes on where the rate had to be found out first.
        assertThat(command(scenario).plan(1234).sends()).isEqualTo(new Pacing.Rate(1234));
    }

    @Test
    void theStandardRunsHaveTheirSizes() {
        assertThat(plan("warmup").clients()).isEqualTo(32);
        assertThat(plan("warmup").numbering().messages()).isEqualTo(1000);
        assertThat(plan("baseline").numbering()).isEqualTo(new Numbering(20, 50, 500));
        assertThat(plan("stress").numbering().total()).isEqualTo(1_000_000);
        assertThat(plan("stress").sends()).isEqualTo(new Pacing.Window(16));
        assertThat(plan("echo").numbering()).isEqualTo(new Numbering(1000, 1, 500));
        assertThat(plan("capacity").clients()).isEqualTo(5000);
        assertThat(plan("churn").guests().count()).isEqualTo(6000);
        assertThat(plan("slow-reader").guests().kind()).isEqualTo(Guests.Kind.SLOW_READERS);
        assertThat(plan("silent").guests().kind()).isEqualTo(Guests.Kind.SILENT);
    }

    @Test
    void theContractIs500000MessagesOrAMillion() {
        assertThat(contract()).isEqualTo(500_000);
        assertThat(contract("--messages", "900")).isEqualTo(1_000_000);
        Plan plan = plan("contract");
        assertThat(plan.traffic().texts()).isEqualTo(50);
        assertThat(plan.traffic().numberedRooms()).isTrue();
        assertThat(plan.numbering().rooms()).isEqualTo(20);
        assertThat(plan.retries()).isEqualTo(5);
    }

    /** TEXTs, and a JOIN and a LEAVE for each stay. */
    private static int contract(String... options) {
        Plan plan = plan("contract", options);
        int stays = 1 + plan.traffic().returns(plan.numbering().messages());
        return plan.numbering().total() + 2 * stays * plan.numbering().members();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10%", "0.1"})
    void aShareOfTextsIsSentTwice(String share) {
        assertThat(plan("fanout", "--duplicate-rate", share).traffic().duplicates())
                .isEqualTo(0.1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"baseline", "contract"})
    void standardRunsWarmUpWith32ConnectionsAnd1000MessagesEach(String scenario) {
        CommandLine line = parsed(scenario);
        WarmUp warmUp = line.getCommandSpec().findOption("--warm-up").getValue();
        assertThat(warmUp.sizes(plan(scenario).numbering())).containsExactly(new Numbering(8, 4, 1000));
    }

    @Test
    void withARateMessagesAreAsManyAsFitIntoTheDuration() {
        ChatOptions options = options();
        options.rate = 100.0;
        options.duration = Duration.ofSeconds(10);
        // 1,000 among ten members, and one more each, as they don't begin all at once.
        assertThat(plan(options, 0).numbering().messages()).isEqualTo(101);
        options.rate = 0.5;
        assertThat(plan(options, 0).numbering().messages()).isEqualTo(2);
        // Discovered values override given ones.
        assertThat(plan(options, 200).numbering().messages()).isEqualTo(201);
        options.messages = 7;
        assertThat(plan(options, 0).numbering().messages()).isEqualTo(7);
    }

    @Test
    void messagesThatFitIntoADurationFillIt() {
        ChatOptions options = options();
        options.rate = 333.3;
        options.duration = Duration.ofMillis(7_777);
        Plan plan = plan(options, 0);
        Pacing.Rate rate = (Pacing.Rate) plan.sends();
        for (int member = 0; member < 10; member++)
            assertThat(plan.dueNanos(rate, member, plan.numbering().messages() - 1))
                    .as("the last of member %d", member)
                    .isGreaterThanOrEqualTo(options.duration.toNanos());
    }

    @Test
    void aRateThatIsTypedLastsForTheDurationThatIsTyped() {
        assertThat(plan("fanout", "--rate", "1000", "--duration", "100s")
                        .numbering()
                        .total())
                .isGreaterThanOrEqualTo(100_000);
        assertThat(plan("fanout", "--rate", "1000", "--duration", "100s", "--messages", "7")
                        .numbering()
                        .messages())
                .isEqualTo(7);
        // That many are known when its maximum is.
        assertThat(command("fanout", "--share", "0.5", "--duration", "100s")
                        .plan(1000)
                        .numbering()
                        .total())
                .isGreaterThanOrEqualTo(100_000);
        assertThat(plan("fanout", "--rate", "1000").numbering().messages()).isEqualTo(50);
    }

    @Test
    void aRateWithoutAnEndIsRefused() {
        ChatOptions options = options();
        options.rate = 100.0;
        refused(options, "a rate needs messages or a duration");
    }

    @Test
    void moreThanCanBeNumberedIsRefused() {
        ChatOptions options = options();
        options.rate = 1e9;
        options.duration = Duration.ofHours(1);
        refused(options, "at most 1,000,000,000");
    }

    @Test
    void stagesBringAsManyUsersAsTheirPeakNeeds() {
        assertThat(plan("spike").numbering().users()).isEqualTo(75);
        assertThat(plan("spike").duration()).isEqualTo(Duration.ofSeconds(180 + 60 + 30 + 60 + 10));
        Plan small = plan("spike", "--rooms", "4", "--stages", "10s:10,5s:2");
        assertThat(small.numbering().users()).isEqualTo(3);
        assertThat(small.duration()).isEqualTo(Duration.ofSeconds(15));
        assertThat(small.arrivals()).isInstanceOf(Arrivals.Stages.class);
        Plan grouped = plan("spike", "--rooms", "4", "--rooms-per-client", "2", "--stages", "10s:10");
        assertThat(grouped.numbering().users()).isEqualTo(5);
        assertThat(plan("spike", "--stages", "10s:0").numbering().users()).isEqualTo(1);
        assertThat(plan("fanout", "--users", "7", "--stages", "10s:40")
                        .numbering()
                        .users())
                .isEqualTo(2);
    }

    @Test
    void aPaceThatWasTypedReplacesTheScenariosOwn() {
        assertThat(plan("stress", "--rate", "500").sends()).isEqualTo(new Pacing.Rate(500));
        assertThat(plan("churn", "--window", "3", "--messages", "9").sends()).isEqualTo(new Pacing.Window(3));
        assertThat(plan("endurance", "--rate", "500").sends()).isEqualTo(new Pacing.Rate(500));
        assertThat(plan("endurance", "--window", "3", "--messages", "9").sends())
                .isEqualTo(new Pacing.Window(3));
        // Its rate is found out before the run.
        assertThat(plan("stress", "--share", "0.5").sends()).isEqualTo(new Pacing.Window(1));
        assertThat(plan("spike", "--share", "0.5").sends()).isEqualTo(new Pacing.Window(1));
        // Nothing else of the scenario changes.
        assertThat(plan("churn", "--window", "3", "--messages", "9").guests().count())
                .isEqualTo(6000);
    }

    @Test
    void onePaceIsEnough() {
        refused("a loop is closed by a window", "fanout", "--window", "3", "--rate", "5", "--duration", "5s");
        refused("a loop is closed by a window", "fanout", "--share", "0.5", "--rate", "5", "--duration", "5s");
        refused("a loop is closed by a window", "endurance", "--share", "0.5", "--window", "2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-0.5", "1.5", "NaN"})
    void aShareIsAPart(String share) {
        refused("a share must be above 0 and at most 1", "endurance", "--share", share);
    }

    @Test
    void aWindowWithADurationNeedsToKnowHowMuchThereIsToSay() {
        refused("needs messages", "endurance", "--window", "4");
        refused("needs messages", "spike", "--window", "1");
        refused("needs messages", "rate", "--window", "4");
        assertThat(plan("endurance", "--window", "4", "--messages", "100000")
                        .numbering()
                        .messages())
                .isEqualTo(100_000);
    }

    @Test
    void aLimitIsTriedWithTwiceAsMuch() {
        Plan plan = plan("rate", "--limit", "40", "--burst", "10", "--users", "3");
        assertThat(plan.sends()).isEqualTo(new Pacing.Rate(240));
        assertThat(plan.limit()).isEqualTo(new Plan.Limit(40, 10, 0.01));
        assertThat(plan("rate", "--limit", "40", "--rate", "50").sends()).isEqualTo(new Pacing.Rate(50));
        assertThat(plan("rate", "--limit", "40", "--window", "8", "--messages", "100")
                        .sends())
                .isEqualTo(new Pacing.Window(8));
        refused("a limit needs a duration", "fanout", "--limit", "40");
        Plan shared = plan(
                "rate", "--limit", "40", "--limit-shared", "--users", "3", "--pending", "7", "--longest-wait", "2s");
        assertThat(shared.sends()).isEqualTo(new Pacing.Rate(80));
        assertThat(shared.limit()).isEqualTo(new Plan.Limit(40, 0, 0.01, true, 7, Duration.ofSeconds(2)));
        refused("pending must not be negative", "rate", "--limit", "40", "--pending", "-1");
    }

    @Test
    void guestsAreOfOneKind() {
        assertThat(plan("fanout", "--visitors", "10", "--duration", "2s")
                        .guests()
                        .count())
                .isEqualTo(20);
        assertThat(plan("fanout", "--silent", "3").guests().kind()).isEqualTo(Guests.Kind.SILENT);
        refused("visitors need a duration", "fanout", "--visitors", "10");
        refused("one kind only", "silent", "--slow-readers", "1");
        refused("one kind only", "churn", "--silent", "1");
        refused("no place in stages", "spike", "--silent", "1");
    }

    @Test
    void invalidSizesAreRejected() {
        refused("at least 1", "fanout", "--rooms", "0");
        refused("at least 1", "fanout", "--users", "0");
        refused("at least 1", "fanout", "--users", "-1");
        refused("messages at least 0", "fanout", "--messages", "-1");
        ChatCommand noThreads = command("fanout", "--threads", "0");
        assertThatThrownBy(noThreads::runSettings)
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("threads");
        refused("multiple of the rooms per client", "fanout", "--rooms-per-client", "3");
        refused("rate must be above 0", "fanout", "--connect-rate", "0");
    }

    @Test
    void planLargerThanTheHeapIsRejectedBeforeTheRun() {
        String tooMany = "999999999";
        refused("set LOAD_JAVA_OPTS", "fanout", "--rooms", "1", "--users", "1", "--messages", tooMany);
        refused("set LOAD_JAVA_OPTS", "fanout", "--warm-up", "1x" + tooMany);
        refused("at most 1,000,000,000", "fanout", "--warm-up", "999999x" + tooMany);
        refused("at most 1,000,000,000", "fanout", "--warm-up", tooMany);
        // The maximum is looked for with 2,000 of each.
        String[] large = {"--users", "1000", "--rooms-per-client", "100", "--messages", "1", "--share", "0.5", "--rooms"
        };
        refused("set LOAD_JAVA_OPTS", "fanout", with(large, "400"));
        refused("at most 1,000,000,000", "fanout", with(large, "1000"));
    }

    private static String[] with(String[] arguments, String last) {
        return Stream.concat(Stream.of(arguments), Stream.of(last)).toArray(String[]::new);
    }

    private static ChatOptions options() {
        ChatOptions options = new ChatOptions();
        options.rooms = 2;
        options.users = 5;
        return options;
    }

    private static void refused(ChatOptions options, String reason) {
        assertThatThrownBy(() -> plan(options, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    private static void refused(String reason, String scenario, String... typed) {
        assertThatThrownBy(() -> plan(scenario, typed))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining(reason);
    }

    private static Plan plan(ChatOptions options, double rate) {
        return ScenarioRun.plan("x", options.planSettings(), rate);
    }

    private static Plan plan(String scenario, String... typed) {
        return command(scenario, typed).plan(0);
    }

    private static ChatCommand command(String scenario, String... typed) {
        return parsed(scenario, typed).getCommand();
    }

    private static CommandLine parsed(String scenario, String... typed) {
        Scenario named = Scenarios.ALL.stream()
                .filter(one -> one.name().equals(scenario))
                .findFirst()
                .orElseThrow();
        CommandLine line = ChatCommand.of(named);
        OptionTypes.register(line);
        List<String> arguments = new ArrayList<>(List.of("--url", "ws://127.0.0.1:1"));
        arguments.addAll(List.of(typed));
        line.parseArgs(arguments.toArray(String[]::new));
        return line;
    }
}
