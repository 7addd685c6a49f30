package chat.server.room;

import io.netty.buffer.ByteBuf;
import reactor.core.publisher.BaseSubscriber;

/** How a member heard of frames when a room was a Reactor sink. */
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
