package chat.load.run;

/**
 * Nothing can be judged: no server is reachable, or a server lacks a feature that the scenario needs. The message is
 * for users.
 */
final class Unusable extends Exception {
    private static final long serialVersionUID = 1;

    Unusable(String message) {
        super(message);
    }
}
