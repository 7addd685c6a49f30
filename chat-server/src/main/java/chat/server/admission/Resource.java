package chat.server.admission;

/** What a server can run short of, besides places for sockets. */
public enum Resource {
    /** How long tasks wait for the busiest event loop, in milliseconds. */
    EVENT_LOOP("event-loop"),
    /** The heap that is used after a collection, as a share of the largest it may become. */
    HEAP("heap"),
    /** The CPU time that this process takes, as a share of all processors. */
    PROCESS_CPU("process-cpu"),
    /** The CPU time that all processes take, as a share of all processors. */
    SYSTEM_CPU("system-cpu");

    private final String reason;

    Resource(String reason) {
        this.reason = reason;
    }

    /** As refusals, metrics and logs name it. */
    public String reason() {
        return reason;
    }
}
