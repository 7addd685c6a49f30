package chat.server;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.Extension;

/** Timeout of waits in tests: test machines may stall for seconds. */
public final class Patience implements Extension {
    public Patience() {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }
}
