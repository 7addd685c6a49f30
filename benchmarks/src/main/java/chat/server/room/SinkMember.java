package chat.server.room;

import io.netty.buffer.ByteBuf;
import reactor.core.publisher.BaseSubscriber;

/** Receives frames from a Reactor sink, the alternative design of a room. */
final class SinkMember extends BaseSubscriber<ByteBuf> {
    private final Subscriber subscriber;

    SinkMember(Subscriber subscriber) {
        this.subscriber = subscriber;
    }

    @Override
    protected void hookOnNext(ByteBuf frame) {
        subscriber.send(frame.retainedDuplicate());
    }
}
