package chat.launcher.chaos;

import java.time.Duration;
import java.util.List;

/** Connects many more clients and kills them together; they may then connect again at once. */
final class KilledClients implements Fault {
    private static final int ROOMS = 10;
    private static final int USERS = 50;
    private static final Duration FORGOTTEN_WITHIN = Duration.ofSeconds(5);
    private static final Duration BACK_WITHIN = Duration.ofSeconds(60);

    private final Target target;
    private final boolean returning;
    private int before;
    private List<String> complaints = List.of();

    /** @param returning whether all of them connect again at once */
    KilledClients(Target target, boolean returning) {
        this.target = target;
        this.returning = returning;
    }

    /** Begins to send when all clients have joined. */
    private LoadRun connect() {
        return LoadRun.start(
                target.programs(),
                target.logs().resolve("clients.log"),
                "fanout",
                List.of(
                        "--rooms=" + ROOMS,
                        "--users=" + USERS,
                        "--rate=50",
                        "--duration=5m",
                        "--connect-rate=5000",
                        "--retries=200",
                        "--history-url=none",
                        "--url=ws://127.0.0.1:" + target.proxy().getPort()));
    }

    @Override
    public void inject() throws InterruptedException {
        before = target.sessions();
        try (LoadRun crowd = connect()) {
            if (!Waiting.within(BACK_WITHIN, () -> crowd.sent() > 0))
                throw new ChaosFailure("the clients cannot connect: " + crowd.output());
        }
    }

    @Override
    public void heal() throws InterruptedException {
        complaints = returning ? connectAgain() : checkForgotten();
    }

    @Override
    public List<String> complaints() {
        return complaints;
    }

    private List<String> checkForgotten() throws InterruptedException {
        return Waiting.within(FORGOTTEN_WITHIN, () -> target.sessions() <= before)
                ? List.of()
                : List.of((target.sessions() - before) + " connections are left after " + FORGOTTEN_WITHIN.toSeconds()
                        + " s");
    }

    private List<String> connectAgain() throws InterruptedException {
        try (LoadRun crowd = connect()) {
            if (Waiting.within(BACK_WITHIN, () -> crowd.sent() > 0)) return List.of();
            return List.of("the clients were not back after " + BACK_WITHIN.toSeconds() + " s: " + crowd.output());
        }
    }
}
