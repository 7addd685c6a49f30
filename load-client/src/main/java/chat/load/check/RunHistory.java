package chat.load.check;

import chat.load.plan.Numbering;
import java.util.List;

/**
 * Collects everything the checker needs from a run.
 *
 * @param aborted why the run ended before everything had arrived; empty for a complete run
 * @param violations protocol violations of servers, as text
 * @param violationCount total, of which {@code violations} are examples
 */
public record RunHistory(
        Numbering numbering,
        Allowed allowed,
        List<RoomHistory> rooms,
        List<String> aborted,
        List<String> violations,
        long violationCount) {
    /**
     * Results that are not faults because the plan intends them or this kind of server does not promise otherwise.
     *
     * @param notSent TEXTs that the duration left no time for
     * @param refused TEXTs rejected by a limit
     * @param severalOrders members may see TEXTs of different senders in different orders
     */
    public record Allowed(boolean notSent, boolean refused, boolean severalOrders) {
        public static final Allowed NOTHING = new Allowed(false, false, false);
    }

    /** Returns a copy with other rooms and other reasons why the run is incomplete. */
    public RunHistory with(List<RoomHistory> otherRooms, List<String> reasons) {
        return new RunHistory(numbering, allowed, otherRooms, reasons, violations, violationCount);
    }
}
