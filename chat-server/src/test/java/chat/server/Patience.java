package chat.server;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.Extension;

/** What a test waits for without saying how long: machines that run tests stand still for seconds at times. */
public final class Patience implements Extension {
    public Patience() {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }
}
