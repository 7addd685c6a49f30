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
 * Limits the rate of equal log lines and counts the dropped ones. Lines that differ only in numbers and ids are equal.
 * Its memory is bounded, because libraries may log texts of clients. Thread-safe, never waits.
 */
final class RepeatedLines {
    /** Maximum number of different lines counted separately between two reports. */
    private static final int TOLD_APART = 100;

    private static final int LONGEST = 120;

    /** @param text without arguments and numbers */
    private record Line(String logger, int level, String text) {}

    /**
     * Counts the dropped lines of one kind.
     *
     * @param text on one line, truncated if it is long
     */
    record LeftOut(String logger, String text, long times) {}

    /** Null if all lines are logged. */
    private final @Nullable PerKey<Line, Bucket> buckets;

    private final Map<Line, LongAdder> leftOut = new ConcurrentHashMap<>();
    private final LongAdder others = new LongAdder();
    private final LongAdder total = new LongAdder();

    /** @param maxLines approximate maximum of different lines; each is forgotten when its bucket is full again */
    RepeatedLines(Rate rate, int maxLines, TimeMeter meter) {
        this.buckets = rate.isLimited()
                ? new PerKey<>(rate, maxLines, rate.timeOf(rate.burst()), meter, bucket -> bucket, unused -> false)
                : null;
    }

    /**
     * @param level number of the level in Logback
     * @param text message without arguments, if the library passes them separately
     */
    boolean admits(String logger, int level, String text) {
        if (buckets == null) return true;
        Line line = new Line(logger, level, withoutNumbers(text));
        if (buckets.get(line).tryConsume(1)) return true;
        total.increment();
        LongAdder known = leftOut.get(line);
        if (known != null) known.increment();
        // Concurrent threads may exceed the limit by a few: it only protects memory.
        else if (leftOut.size() < TOLD_APART)
            leftOut.computeIfAbsent(line, unused -> new LongAdder()).increment();
        else others.increment();
        return false;
    }

    /**
     * Replaces each word that contains a digit, and each group of an IPv6 address, by {@code #}, because some libraries
     * format addresses, ids and counts into the text. Truncates long texts.
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

    /** Returns the lines dropped since the last call, most frequent first; the rest together, without a name. */
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

    /** Returns the number of lines dropped since the start. */
    long total() {
        return total.sum();
    }
}
