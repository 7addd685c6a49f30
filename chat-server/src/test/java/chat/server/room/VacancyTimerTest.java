package chat.server.room;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class VacancyTimerTest {
    private static final long GRACE = TimeUnit.MINUTES.toNanos(2);

    private final AtomicInteger lasted = new AtomicInteger();
    private long now;

    @Test
    void itHasLastedWhenTheGraceIsOver() {
        VacancyTimer vacancy = new VacancyTimer(GRACE, () -> now, lasted::incrementAndGet);
        vacancy.look(true);
        now += GRACE - 1;
        vacancy.look(true);
        assertThat(lasted).hasValue(0);
        now++;
        vacancy.look(true);
        assertThat(lasted).hasValue(1);
        vacancy.look(true);
        assertThat(lasted).as("as long as it lasts").hasValue(2);
    }

    @Test
    void joinResetsTheTimer() {
        VacancyTimer vacancy = new VacancyTimer(GRACE, () -> now, lasted::incrementAndGet);
        now += GRACE;
        vacancy.look(false);
        now += GRACE - 1;
        vacancy.look(true);
        assertThat(lasted).hasValue(0);
    }

    @Test
    void withoutGraceItLastsForEver() {
        VacancyTimer vacancy = new VacancyTimer(0, () -> now, lasted::incrementAndGet);
        now += 1000 * GRACE;
        vacancy.look(true);
        assertThat(lasted).hasValue(0);
    }
}
