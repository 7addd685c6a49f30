package chat.load.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Defines the warm-up before a run: one or more rounds, each from connecting to leaving.
 *
 * <p>A JIT compiler omits code paths that it has not seen for a while. After a single round it would discard code
 * when all members leave and the members of the run join, and recompile it during the measurement. Several rounds
 * avoid that.
 */
public record WarmUp(List<Round> rounds) {
    public static final WarmUp NONE = new WarmUp(List.of());

    /** Rooms are small because a warm-up exercises the code rather than the fan-out. */
    private static final int ROOM = 4;

    private static final int MAX_ROUNDS = 10;
    private static final Pattern SPEC = Pattern.compile("(?:([1-9]\\d{0,5})x)?(\\d{1,9})");

    /**
     * @param connections number of connections; 0: as many as the run has
     * @param messages messages of each connection, at least 1
     */
    public record Round(int connections, int messages) {
        private Numbering size(Numbering run) {
            if (connections == 0) return new Numbering(run.rooms(), run.users(), messages);
            int users = connections % ROOM == 0 ? ROOM : 1;
            return new Numbering(connections / users, users, messages);
        }
    }

    /**
     * Parses rounds such as {@code 32x1000+200}, or {@code none}.
     *
     * @throws IllegalArgumentException if the text is something else; the message names what is accepted
     */
    public static WarmUp parse(String text) {
        if (text.equals("none")) return NONE;
        List<Round> rounds = Arrays.stream(text.split("\\+", -1))
                .map(round -> round(round, text))
                .filter(round -> round.messages() > 0)
                .toList();
        if (rounds.size() > MAX_ROUNDS)
            throw new IllegalArgumentException(
                    "a warm-up has at most " + MAX_ROUNDS + " rounds, and '" + text + "' has " + rounds.size());
        return new WarmUp(rounds);
    }

    private static Round round(String round, String text) {
        Matcher spec = SPEC.matcher(round);
        if (!spec.matches())
            throw new IllegalArgumentException(
                    "a warm-up is given as N messages, CxN such as 32x1000, several of these "
                            + "such as 1000+200, or none, not '" + text + "'");
        int connections = spec.group(1) == null ? 0 : Integer.parseInt(spec.group(1));
        return new Round(connections, Integer.parseInt(spec.group(2)));
    }

    /** @return the size of each round */
    public List<Numbering> sizes(Numbering run) {
        return rounds.stream().map(round -> round.size(run)).toList();
    }

    /**
     * Returns the plans of all rounds, in order.
     *
     * @param plan of the run that follows
     * @throws IllegalArgumentException if a round would be too large
     */
    public List<Plan> plans(Plan plan) {
        // The first round is always a closed loop: it exercises the code and needs no fixed rate.
        Pacing first = plan.sends() instanceof Pacing.Window ? plan.sends() : new Pacing.Window(1);
        List<Plan> plans = new ArrayList<>();
        for (Numbering size : sizes(plan.numbering()))
            plans.add(plan.with("warm-up", size, plans.isEmpty() ? first : plan.sends(), null));
        return plans;
    }
}
