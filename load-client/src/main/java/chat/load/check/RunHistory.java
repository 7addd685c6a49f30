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
        List<RoomHistory> rooms,
        List<String> aborted,
        List<String> violations,
        long violationCount) {}
