package chat.kit.management.stop;

import java.util.concurrent.CountDownLatch;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;

/** Runs a program that stops in order, prints its steps, and exits with the code in its argument. */
final class StoppedProgram {
    static final String STOPPING_FAILS = "stopping fails";
    static final String NOBODY_CAN_TELL = "nobody can tell";

    private static final CountDownLatch stopped = new CountDownLatch(1);

    private StoppedProgram() {}

    /** @param arguments the exit code, or the kind of failure; none: no component reports a code */
    static void main(String[] arguments) throws InterruptedException {
        String how = arguments.length == 0 ? "" : arguments[0];
        GenericApplicationContext context = new GenericApplicationContext() {
            @Override
            protected void onClose() {
                if (how.equals(STOPPING_FAILS)) throw new IllegalStateException(how);
            }
        };
        context.registerBean(Part.class);
        if (!how.isEmpty() && !how.equals(STOPPING_FAILS))
            context.registerBean(
                    Judge.class, () -> new Judge(context.getBean(Part.class), Thread.currentThread(), how));
        context.refresh();
        context.registerShutdownHook();
        OrderlyStop.onTermination(context);
        System.out.println("up");
        stopped.await();
    }

    /** Checks that the component was stopped first; at that time only the stop itself keeps the program alive. */
    record Judge(Part part, Thread main, String how) implements ExitCodeGenerator {
        @Override
        public int getExitCode() {
            try {
                main.join();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            if (how.equals(NOBODY_CAN_TELL)) throw new IllegalStateException(how);
            return part.isRunning() ? -1 : Integer.parseInt(how);
        }
    }

    static final class Part implements SmartLifecycle {
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            System.out.println("stopped");
            running = false;
            stopped.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
