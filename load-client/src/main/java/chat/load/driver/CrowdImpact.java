package chat.load.driver;

import chat.load.plan.Crowd;

/**
 * Compares members' throughput before, during and after a {@link Crowd}.
 *
 * @param before messages accepted per second before the crowd
 * @param during messages accepted per second during the crowd
 * @param recoveredSeconds the first second after the crowd, counted from 1, with the previous throughput; -1: none in
 *     time
 */
record CrowdImpact(double before, double during, int recoveredSeconds) {

    static CrowdImpact of(Crowd crowd, SecondCounts accepted) {
        int begin = (int) crowd.after().toSeconds();
        int end = (int) crowd.after().plus(crowd.length()).toSeconds();
        int last = (int) crowd.end().toSeconds();
        double before = accepted.mean(begin / 3, begin);
        double during = accepted.mean(begin, end);
        int second = end;
        while (second < last && accepted.mean(second, second + 1) < Crowd.RECOVERED * before) second++;
        return new CrowdImpact(before, during, second < last ? second - end + 1 : -1);
    }

    /** Throughput during the crowd as a share of the throughput before. */
    double kept() {
        return before == 0 ? 0 : during / before;
    }
}
