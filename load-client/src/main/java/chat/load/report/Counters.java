package chat.load.report;

import java.util.concurrent.atomic.LongAdder;

/** Counts the progress of a run; event loops write, the progress line reads at any time. */
public final class Counters {
    /** Connections that are open now. */
    public final LongAdder connected = new LongAdder();
    /** Connections opened, those that ended included. */
    public final LongAdder opened = new LongAdder();
    /** Connections tried. */
    public final LongAdder attempts = new LongAdder();
    /** Members welcomed for the first time. */
    public final LongAdder joined = new LongAdder();

    public final LongAdder sent = new LongAdder();
    public final LongAdder accepted = new LongAdder();
    public final LongAdder refused = new LongAdder();
    /** TEXTs delivered, counted per member. */
    public final LongAdder deliveries = new LongAdder();
    /** Deliveries that were new to their member; unlike all deliveries they are bounded. */
    public final LongAdder newDeliveries = new LongAdder();
    /** MESSAGES frames. */
    public final LongAdder frames = new LongAdder();
    /** MESSAGES frames with the bytes of a frame read before. */
    public final LongAdder copies = new LongAdder();

    /** Connections opened after the first of a member. */
    public final LongAdder reconnects = new LongAdder();
    /** Connections that failed or ended before the first WELCOME. */
    public final LongAdder failedConnects = new LongAdder();
    /** Frames sent again because the server rejected them for now. */
    public final LongAdder retries = new LongAdder();
    /** TEXTs sent again, with the same ids, because a connection was lost before their ACK. */
    public final LongAdder resends = new LongAdder();

    /** TEXTs sent a second time on purpose, with the same ids. */
    public final LongAdder duplicates = new LongAdder();

    /** JOINs sent, those after a lost connection included; one that is sent again counts once. */
    public final LongAdder joins = new LongAdder();
    /** Members that were welcomed again, after a LEAVE or a lost connection. */
    public final LongAdder rejoined = new LongAdder();
    /** Members that left while the chat went on. */
    public final LongAdder departed = new LongAdder();
    /** LEAVEs sent, those at the end of the run included; one that is sent again counts once. */
    public final LongAdder leaves = new LongAdder();
    /** LEAVEs acknowledged. */
    public final LongAdder left = new LongAdder();

    public final LongAdder gaps = new LongAdder();
    /** Accepted TEXTs found in storage, after the chat. */
    public final LongAdder stored = new LongAdder();

    /** Increases only when the run comes nearer to its end. */
    public long progress() {
        return joined.sum()
                + sent.sum()
                + accepted.sum()
                + refused.sum()
                + newDeliveries.sum()
                + departed.sum()
                + rejoined.sum();
    }
}
