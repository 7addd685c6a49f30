package chat.server.admission;

import chat.kit.admission.Rate;
import chat.server.admission.TokenQueueSettings.Policy;
import io.github.bucket4j.TimeMeter;
import java.time.Duration;

/** Rates that limit nothing: a test changes what matters to it. */
public final class TestRates {
    private static final TokenQueueSettings OFF = new TokenQueueSettings(0, 1, Policy.REJECT, 1, Duration.ofSeconds(1));

    private TokenQueueSettings session = OFF;
    private TokenQueueSettings user = OFF;
    private TokenQueueSettings server = OFF;
    private JoinRates joins = JoinRates.NONE;
    private int maxKeys = 1024;
    private int maxWaiting = 100_000;
    private int maxRefused;
    public final RateCounters counters = new RateCounters();

    public static Rates unlimited() {
        return new TestRates().rates(TimeMeter.SYSTEM_NANOTIME);
    }

    static TokenQueueSettings rejecting(double perSecond, int burst) {
        return new TokenQueueSettings(perSecond, burst, Policy.REJECT, 1, Duration.ofSeconds(1));
    }

    static TokenQueueSettings queueing(double perSecond, int burst, int pending, Duration longestWait) {
        return new TokenQueueSettings(perSecond, burst, Policy.QUEUE, pending, longestWait);
    }

    public TestRates session(double perSecond, int burst) {
        return session(rejecting(perSecond, burst));
    }

    TestRates session(TokenQueueSettings settings) {
        session = settings;
        return this;
    }

    public TestRates user(double perSecond, int burst) {
        return user(rejecting(perSecond, burst));
    }

    TestRates user(TokenQueueSettings settings) {
        user = settings;
        return this;
    }

    public TestRates queueOfServer(double perSecond, int burst, int pending) {
        return server(queueing(perSecond, burst, pending, Duration.ofSeconds(10)));
    }

    TestRates server(TokenQueueSettings settings) {
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
        return new Rates(settings(), joins, meter, counters, WaitListener.NONE);
    }
}
