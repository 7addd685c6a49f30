package chat.load;

import chat.load.plan.Traffic;
import picocli.CommandLine.Option;

/** Options for what members send, and in which rooms. */
final class TrafficOptions {
    @Option(
            names = "--numbered-rooms",
            description = "Name the rooms 1, 2, 3 and so on, and share them with other clients and earlier runs. "
                    + "Default: rooms of the run's own.")
    private boolean numberedRooms;

    @Option(
            names = "--payload",
            defaultValue = "100",
            paramLabel = "BYTES",
            description = "Length of each text, 1 to 500; longer if its number needs more.")
    private int payload = 100;

    @Option(
            names = "--texts",
            defaultValue = "0",
            paramLabel = "N",
            description = "Number of texts that members choose from; 0: each message has a text of its own.")
    private int texts;

    @Option(
            names = "--turnover",
            defaultValue = "0",
            paramLabel = "SHARE",
            description = "LEAVEs per TEXT: members leave and join again after random TEXTs. The last LEAVE of each "
                    + "member counts.")
    private double turnover;

    @Option(
            names = "--duplicate-rate",
            defaultValue = "0",
            paramLabel = "SHARE",
            converter = OptionTypes.Share.class,
            description = "Send this share of TEXTs twice under the same id, such as 10%%; the run fails unless the "
                    + "servers count exactly these duplicates.")
    private double duplicates;

    /** @throws IllegalArgumentException if an option is invalid */
    Traffic traffic() {
        return new Traffic(numberedRooms, payload, texts, turnover, duplicates);
    }
}
