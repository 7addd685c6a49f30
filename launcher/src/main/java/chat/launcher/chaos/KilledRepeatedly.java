package chat.launcher.chaos;

import chat.launcher.platform.ChildProgram;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** Kills programs several times at random moments; each time all of them are down together. */
final class KilledRepeatedly implements Fault {
    private static final int LONGEST_RUN_MILLIS = 3_000;

    private final List<ChildProgram> programs;
    private final int times;
    private final RandomGenerator random;

    KilledRepeatedly(List<ChildProgram> programs, int times, RandomGenerator random) {
        this.programs = programs;
        this.times = times;
        this.random = random;
    }

    @Override
    public void inject() throws InterruptedException {
        for (int i = 0; i < times; i++) {
            if (i > 0) TimeUnit.MILLISECONDS.sleep(random.nextInt(LONGEST_RUN_MILLIS));
            List<Long> before = programs.stream().map(ChildProgram::pid).toList();
            programs.forEach(ChildProgram::kill);
            for (int j = 0; j < programs.size(); j++) programs.get(j).awaitRestart(before.get(j));
        }
    }

    @Override
    public void heal() {}
}
