package chat.load.check;

import chat.load.plan.Numbering;
import java.util.List;

/**
 * All that a run left behind for the checker.
 *
 * @param aborted why the run ended before everything had arrived; empty for a whole run
 * @param violations what servers did against the protocol, in words
 * @param violationCount all of them, of which {@code violations} are examples
 */
public record RunHistory(
        Numbering numbering,
        Allowed allowed,
        List<RoomHistory> rooms,
        List<String> aborted,
        List<String> violations,
        long violationCount) {
    /**
     * What is no fault, as the plan wanted it so, or as this kind of server promises no more.
     *
     * @param notSent TEXTs that there was no time for
     * @param refused TEXTs that a limit refused
     * @param severalOrders members who see the TEXTs of several senders in different orders
     */
    public record Allowed(boolean notSent, boolean refused, boolean severalOrders) {
        public static final Allowed NOTHING = new Allowed(false, false, false);
    }

    /** The same with other rooms, and reasons why the run is not whole. */
    public RunHistory with(List<RoomHistory> otherRooms, List<String> reasons) {
        return new RunHistory(numbering, allowed, otherRooms, reasons, violations, violationCount);
    }
}
