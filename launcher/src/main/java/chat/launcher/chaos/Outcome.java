package chat.launcher.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Holds the result of one fault.
 *
 * @param complaints failed checks, for people
 * @param folder results of the load
 */
public record Outcome(CatalogueEntry fault, Counts counts, Times times, List<String> complaints, Path folder) {
    /**
     * Holds what clients noticed.
     *
     * @param silence longest time in which a partition accepted no message
     * @param recovery time from the end of the fault until every partition accepted messages and the history was less
     *     than 5 s behind
     * @param refusal longest time until a message was rejected
     * @param refusals number of rejections, retried or not
     * @param back time from the restart of the affected programs until each partition had accepted a message
     * @param after longest time without an accepted message after the recovery
     * @param connected time from the first disconnected member until all members were connected again
     * @param latency time from the first slow second until the load's p99 was back to normal
     * @param behind largest lag of the history
     */
    record Times(
            Duration silence,
            Duration recovery,
            Duration refusal,
            long refusals,
            Duration back,
            Duration after,
            Duration connected,
            Duration latency,
            Duration behind) {}

    boolean passed() {
        return complaints.isEmpty();
    }
}
