package chat.launcher.chaos;

import chat.launcher.platform.ChildProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Stops the chat servers gracefully, one after the other; each is restarted. */
final class RestartedServers implements Fault {
    private static final Duration LONGEST_STOP = Duration.ofSeconds(20);

    private final Target target;
    private final List<String> complaints = new ArrayList<>();

    RestartedServers(Target target) {
        this.target = target;
    }

    @Override
    public void inject() throws InterruptedException {
        for (ChildProgram server : target.cluster().servers()) {
            long before = server.pid();
            OptionalInt code = server.stop(LONGEST_STOP);
            if (code.isEmpty()) complaints.add(server.name() + " took over " + LONGEST_STOP.toSeconds() + " s to stop");
            else if (code.getAsInt() != 0) complaints.add(server.name() + " exited with code " + code.getAsInt());
            server.awaitRestart(before);
            // Stop the next server only then, so that HAProxy always has a server for the clients.
            Waiting.until("HAProxy to send clients to " + server.name(), () -> target.isInUse(server));
        }
    }

    @Override
    public void heal() {}

    @Override
    public List<String> complaints() {
        return complaints;
    }
}
