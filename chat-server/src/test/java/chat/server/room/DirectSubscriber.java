package chat.server.room;

import io.netty.buffer.ByteBuf;

/** A subscriber without an event loop: frames arrive on the calling thread. */
public abstract class DirectSubscriber implements Subscriber {
    private final EventLoopQueue queue;

    protected DirectSubscriber() {
        this(new EventLoopQueue(Runnable::run, 1 << 20));
    }

    protected DirectSubscriber(EventLoopQueue queue) {
        this.queue = queue;
    }

    @Override
    public String id() {
        return "direct";
    }

    @Override
    public EventLoopQueue queue() {
        return queue;
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
