package chat.server;

import chat.protocol.Contract;
import chat.protocol.FrameRules;
import org.jspecify.annotations.Nullable;

/**
 * Limits of client frames; they override the contract.
 *
 * @param maxMessageLength maximum length of a TEXT in code points, at most 4,000; empty: the contract's
 * @param userIds {@code numbers} or {@code ascii}, without tokens; empty: the contract's
 * @param maxUserId highest numeric user id
 * @param usernames {@code required} or {@code derived}, without tokens; empty: the contract's
 */
record FrameSettings(
        @Nullable Integer maxMessageLength,
        Contract.@Nullable UserIds userIds,
        int maxUserId,
        Contract.@Nullable Usernames usernames) {
    FrameSettings {
        // Rejected here, where the error names the setting; the contract's part is checked when it is known.
        FrameRules unused = rules(Contract.FIRST, maxMessageLength, userIds, maxUserId, usernames);
    }

    FrameRules rules(Contract contract) {
        return rules(contract, maxMessageLength, userIds, maxUserId, usernames);
    }

    private static FrameRules rules(
            Contract contract,
            @Nullable Integer maxMessageLength,
            Contract.@Nullable UserIds userIds,
            int maxUserId,
            Contract.@Nullable Usernames usernames) {
        return new FrameRules(
                FrameRules.DEFAULT.maxFrameBytes(), // holds the longest text that may be set
                maxMessageLength != null ? maxMessageLength : contract.maxMessageLength(),
                userIds != null ? userIds : contract.userIds(),
                maxUserId,
                usernames != null ? usernames : contract.usernames(),
                FrameRules.LONGEST_HISTORY);
    }
}
