package chat.launcher.chaos;

import chat.nodes.RabbitNode;
import java.util.List;

/** Stops the only broker and starts it again. It must have as many channels as before. */
final class StoppedBroker implements Fault {
    private final Target target;
    private final RabbitNode broker;
    private int channels;

    StoppedBroker(Target target) {
        this.target = target;
        this.broker = target.broker();
    }

    @Override
    public void inject() {
        channels = channels();
        broker.stop();
    }

    @Override
    public void heal() {
        broker.start();
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        return Waiting.within(Waiting.PATIENCE, () -> channels() <= channels)
                ? List.of()
                : List.of("the broker had " + channels + " channels before, now " + channels());
    }

    private int channels() {
        return target.lists().list("list_channels", "pid").size();
    }
}
