package chat.server.room;

import io.netty.buffer.ByteBuf;

/** A subscriber whose event loop is whatever thread it is called on: what it is handed arrives at once. */
public abstract class DirectSubscriber implements Subscriber {
    private final Lane lane;

    protected DirectSubscriber() {
        this(new Lane(Runnable::run, 1 << 20));
    }

    protected DirectSubscriber(Lane lane) {
        this.lane = lane;
    }

    @Override
    public String id() {
        return "direct";
    }

    @Override
    public Lane lane() {
        return lane;
    }

    @Override
    public void send(ByteBuf frame) {
        write(frame);
    }

    @Override
    public void flush() {}

    @Override
    public boolean keepsUp() {
        return true;
    }
}
