package chat.server.admission;

/** A resource that a server can run short of, besides connections. */
public enum Resource {
    /** The wait of tasks for the busiest event loop, in milliseconds. */
    EVENT_LOOP("event-loop"),
    /** The heap in use after garbage collection, as a share of its maximum. */
    HEAP("heap"),
    /** The CPU time of this process, as a share of all processors. */
    PROCESS_CPU("process-cpu"),
    /** The CPU time of all processes, as a share of all processors. */
    SYSTEM_CPU("system-cpu"),
    /** The platform threads of this process. */
    THREADS("threads");

    private final String reason;

    Resource(String reason) {
        this.reason = reason;
    }

    /** The name in responses, metrics and logs. */
    public String reason() {
        return reason;
    }
}
