package chat.load.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalLong;

/**
 * Estimates when work will be done, from the last ten updates: an average since the beginning would react too slowly.
 * Not thread-safe.
 */
final class Eta {
    private static final int LOOKS = 10;

    private final Deque<Look> looks = new ArrayDeque<>();

    private record Look(long nanos, double share) {}

    /** @param share of the work that is done, 0 to 1 */
    void look(long nanos, double share) {
        looks.addLast(new Look(nanos, share));
        if (looks.size() > LOOKS + 1) looks.removeFirst();
    }

    void forget() {
        looks.clear();
    }

    /** Seconds remaining after the last update; empty without recent progress. */
    OptionalLong secondsLeft() {
        if (looks.size() < 2) return OptionalLong.empty();
        Look first = looks.getFirst();
        Look last = looks.getLast();
        double perNano = (last.share() - first.share()) / (last.nanos() - first.nanos());
        return perNano > 0
                ? OptionalLong.of(Math.round(Math.max(0, 1 - last.share()) / perNano / 1e9))
                : OptionalLong.empty();
    }
}
