package chat.kit.management.logging;

import chat.kit.admission.PerKey;
import chat.kit.admission.Rate;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Which lines are written, and which were left out because the same had been written too often. Thread-safe, never waits.
 * What it remembers is bounded, whatever lines come: a library may make texts of what a client sent. Lines that differ in
 * numbers and ids alone are the same.
 */
final class RepeatedLines {
    /** Kinds of lines whose number is kept apart between two reports. */
    private static final int TOLD_APART = 100;

    private static final int LONGEST = 120;

    /** @param text without arguments and numbers */
    private record Line(String logger, int level, String text) {}

    /**
     * Lines that were left out.
     *
     * @param text on one line, cut off where it is long
     */
    record LeftOut(String logger, String text, long times) {}

    /** Null where all are written. */
    private final @Nullable PerKey<Line, Bucket> buckets;

    private final Map<Line, LongAdder> leftOut = new ConcurrentHashMap<>();
    private final LongAdder others = new LongAdder();
    private final LongAdder total = new LongAdder();

    /** @param maxLines told apart at once, about; each is forgotten when its bucket is full again */
    RepeatedLines(Rate rate, int maxLines, TimeMeter meter) {
        this.buckets = rate.isLimited()
                ? new PerKey<>(rate, maxLines, rate.timeOf(rate.burst()), meter, bucket -> bucket, unused -> false)
                : null;
    }

    /**
     * @param level as Logback numbers it
     * @param text without arguments, as far as its library keeps them apart
     */
    boolean admits(String logger, int level, String text) {
        if (buckets == null) return true;
        Line line = new Line(logger, level, withoutNumbers(text));
        if (buckets.get(line).tryConsume(1)) return true;
        total.increment();
        LongAdder known = leftOut.get(line);
        if (known != null) known.increment();
        // Threads that meet here may keep a few more apart: the bound is about memory.
        else if (leftOut.size() < TOLD_APART)
            leftOut.computeIfAbsent(line, unused -> new LongAdder()).increment();
        else others.increment();
        return false;
    }

    /**
     * Some libraries format addresses, ids and counts into the text itself: each word that contains a digit, and each group
     * of an IPv6 address, becomes a {@code #}. Long texts are cut off.
     */
    static String withoutNumbers(String text) {
        StringBuilder kept = new StringBuilder(LONGEST);
        int at = 0;
        while (at < text.length() && kept.length() < LONGEST) {
            int end = at;
            boolean digits = false;
            boolean hex = true;
            while (end < text.length() && Character.isLetterOrDigit(text.charAt(end)) && end - at < LONGEST) {
                char next = text.charAt(end++);
                digits |= Character.isDigit(next);
                hex &= Character.digit(next, 16) >= 0;
            }
            if (end == at) kept.append(text.charAt(end++));
            else if (digits || (hex && end < text.length() && text.charAt(end) == ':')) kept.append('#');
            else kept.append(text, at, end);
            at = end;
        }
        return kept.length() <= LONGEST ? kept.toString() : kept.substring(0, LONGEST);
    }

    /** What was left out since this was called last, the most frequent first; others together, under no name. */
    List<LeftOut> takeLeftOut() {
        List<LeftOut> taken = new ArrayList<>();
        for (Line line : List.copyOf(leftOut.keySet())) {
            LongAdder times = leftOut.remove(line);
            if (times != null) taken.add(new LeftOut(line.logger(), oneLine(line.text()), times.sum()));
        }
        taken.sort(Comparator.comparingLong(LeftOut::times).reversed());
        long rest = others.sumThenReset();
        if (rest > 0) taken.add(new LeftOut("", "", rest));
        return taken;
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}+", " ");
    }

    /** Lines left out since the start. */
    long total() {
        return total.sum();
    }
}
