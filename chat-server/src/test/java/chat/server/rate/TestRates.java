package chat.server.rate;

import chat.kit.admission.Rate;
import chat.server.rate.LineSettings.Policy;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;

/** Rates that limit nothing: a test changes what matters to it. */
public final class TestRates {
    private static final LineSettings OFF = new LineSettings(0, 1, Policy.REJECT, 1, Duration.ofSeconds(1));

    private LineSettings session = OFF;
    private LineSettings user = OFF;
    private LineSettings server = OFF;
    private JoinRates joins = JoinRates.NONE;
    private int maxKeys = 1024;
    private int maxWaiting = 100_000;
    private int maxRefused;
    public final RateCounters counters = new RateCounters();

    public static Rates unlimited() {
        return new TestRates().rates(TimeMeter.SYSTEM_NANOTIME);
    }

    static LineSettings rejecting(double perSecond, int burst) {
        return new LineSettings(perSecond, burst, Policy.REJECT, 1, Duration.ofSeconds(1));
    }

    static LineSettings queueing(double perSecond, int burst, int pending, Duration longestWait) {
        return new LineSettings(perSecond, burst, Policy.QUEUE, pending, longestWait);
    }

    public TestRates session(double perSecond, int burst) {
        return session(rejecting(perSecond, burst));
    }

    TestRates session(LineSettings settings) {
        session = settings;
        return this;
    }

    public TestRates user(double perSecond, int burst) {
        return user(rejecting(perSecond, burst));
    }

    TestRates user(LineSettings settings) {
        user = settings;
        return this;
    }

    public TestRates queueOfServer(double perSecond, int burst, int pending) {
        return server(queueing(perSecond, burst, pending, Duration.ofSeconds(10)));
    }

    TestRates server(LineSettings settings) {
        server = settings;
        return this;
    }

    public TestRates joins(JoinRates rates) {
        joins = rates;
        return this;
    }

    TestRates maxKeys(int keys) {
        maxKeys = keys;
        return this;
    }

    TestRates maxWaiting(int messages) {
        maxWaiting = messages;
        return this;
    }

    public TestRates maxRefused(int messages) {
        maxRefused = messages;
        return this;
    }

    RateSettings settings() {
        return new RateSettings(session, user, server, new Rate(0, 1), maxKeys, maxWaiting, maxRefused);
    }

    public Rates rates(TimeMeter meter) {
        return new Rates(settings(), joins, meter, counters, WaitWatch.NONE);
    }
}
