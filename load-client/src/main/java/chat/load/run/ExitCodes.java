package chat.load.run;

/** Defines the exit codes of all commands. */
public final class ExitCodes {
    /** All checks passed. */
    public static final int PASSED = 0;
    /** A check failed. */
    public static final int FAILED = 1;
    /** Wrong usage, or no server can be reached. */
    public static final int UNUSABLE = 2;

    private ExitCodes() {}
}
