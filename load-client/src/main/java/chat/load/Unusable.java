package chat.load;

/** Nothing can be judged: nobody is there, or what is there lacks what the scenario needs. Its message is for people. */
final class Unusable extends Exception {
    private static final long serialVersionUID = 1;

    Unusable(String message) {
        super(message);
    }
}
