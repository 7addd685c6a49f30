package chat.load.lab.query;

import chat.load.lab.query.RestClient.Reply;
import chat.load.plan.Backoff;
import chat.load.plan.Pacing;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Sends questions from virtual threads, one question at a time each. In open loop a question's latency starts at its
 * intended time, even if no thread was free then; in closed loop, when it is sent.
 */
final class Askers {
    private static final int RETRIES = 5;
    private static final long MAX_WAIT_MILLIS = 10_000;

    private final RestClient rest;
    private final Judgement judgement;
    private final int askers;
    private final AtomicLong answers = new AtomicLong();

    Askers(RestClient rest, Judgement judgement, int askers) {
        this.rest = rest;
        this.judgement = judgement;
        this.askers = askers;
    }

    /**
     * When to stop asking: the first limit reached counts.
     *
     * @param duration null: no limit
     */
    record Limits(long questions, @Nullable Duration duration, BooleanSupplier going) {}

    /** Answers in all phases; may be called at any time. */
    long answers() {
        return answers.get();
    }

    /**
     * Returns when every question is answered or has failed.
     *
     * @param rate null: closed loop
     * @param into one tally per query
     * @return seconds from the first question to the last answer
     */
    double ask(Questions questions, Limits limits, Pacing.@Nullable Rate rate, Map<Query, Tally> into)
            throws InterruptedException {
        Round round = new Round(questions, limits, rate, into);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < askers; i++) threads.execute(round);
            threads.shutdown();
            try {
                while (!threads.awaitTermination(1, TimeUnit.MINUTES)) {
                    // Each of them is bounded by the limits and by the timeout of an answer.
                }
            } catch (InterruptedException interrupted) {
                threads.shutdownNow();
                throw interrupted;
            }
        }
        return (System.nanoTime() - round.beginNanos) / 1e9;
    }

    /** State that all threads of one phase share. */
    private final class Round implements Runnable {
        private final Questions questions;
        private final Limits limits;
        private final Pacing.@Nullable Rate rate;
        private final Map<Query, Tally> into;
        private final AtomicLong next = new AtomicLong();
        private final long beginNanos = System.nanoTime();

        Round(Questions questions, Limits limits, Pacing.@Nullable Rate rate, Map<Query, Tally> into) {
            this.questions = questions;
            this.limits = limits;
            this.rate = rate;
            this.into = into;
        }

        @Override
        public void run() {
            try {
                while (true) {
                    long index = next.getAndIncrement();
                    if (index >= limits.questions()) return;
                    long due = rate == null ? System.nanoTime() : beginNanos + rate.dueNanos(index);
                    Duration duration = limits.duration();
                    if (duration != null && due - beginNanos >= duration.toNanos()) return;
                    if (!await(due)) return;
                    Question question = questions.question(index);
                    ask(index, question, due, Objects.requireNonNull(into.get(question.query())));
                }
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** @return whether the limits still allow the question at its due time */
        private boolean await(long dueNanos) throws InterruptedException {
            while (limits.going().getAsBoolean()) {
                long left = dueNanos - System.nanoTime();
                if (left <= 0) return true;
                LockSupport.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(100)));
                if (Thread.interrupted()) throw new InterruptedException();
            }
            return false;
        }
    }

    /**
     * Repeats the request until it is answered, waiting as requested if the server is busy; the wait counts as
     * latency.
     */
    private void ask(long index, Question question, long dueNanos, Tally tally) throws InterruptedException {
        for (int attempt = 0; ; attempt++) {
            Reply reply;
            try {
                reply = rest.get(index, question.target());
            } catch (IOException failed) {
                tally.status("none");
                judgement.unanswered(String.valueOf(failed.getMessage()));
                return;
            }
            long nanos = System.nanoTime() - dueNanos;
            tally.status(Integer.toString(reply.status()));
            if (reply.status() == 200) {
                JsonNode answer = judgement.judge(question, reply);
                tally.answered(nanos, answer == null ? 0 : question.query().rows(answer), reply.body().length);
                answers.incrementAndGet();
                return;
            }
            boolean busy = reply.status() == 503 || reply.status() == 429;
            if (!busy || attempt == RETRIES) {
                judgement.unanswered(reply.inWords());
                return;
            }
            tally.retry();
            TimeUnit.MILLISECONDS.sleep(waitMillis(reply, attempt));
        }
    }

    /** Adds up to a quarter to the requested wait, so that clients do not return at the same moment. */
    private static long waitMillis(Reply reply, int attempt) {
        double jitter = ThreadLocalRandom.current().nextDouble();
        long requested = Math.min(reply.retryAfterMillis().orElse(-1), MAX_WAIT_MILLIS);
        return requested < 0
                ? Backoff.DEFAULT.delayMillis(attempt, jitter)
                : requested + (long) (jitter * requested / 4);
    }
}
