package chat.load.driver;

import chat.load.plan.Crowd;

/**
 * How members fared who had a {@link Crowd} before the door.
 *
 * @param before messages accepted per second before it came
 * @param during the same while it was there
 * @param recoveredSeconds the first second after it, counted from 1, that was as good as before; -1: none in time
 */
record Fared(double before, double during, int recoveredSeconds) {

    static Fared of(Crowd crowd, SecondCounts accepted) {
        int begin = (int) crowd.after().toSeconds();
        int end = (int) crowd.after().plus(crowd.length()).toSeconds();
        int last = (int) crowd.end().toSeconds();
        double before = accepted.mean(begin / 3, begin);
        double during = accepted.mean(begin, end);
        int second = end;
        while (second < last && accepted.mean(second, second + 1) < Crowd.RECOVERED * before) second++;
        return new Fared(before, during, second < last ? second - end + 1 : -1);
    }

    /** The share of what was before. */
    double kept() {
        return before == 0 ? 0 : during / before;
    }
}
