package chat.management.stop;

import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.support.GenericApplicationContext;

/** A program that stops in order, and ends with the code of its argument then; says on its output what it does. */
final class StoppedProgram {
    private StoppedProgram() {}

    /** @param arguments the exit code; none: nobody in the program knows one */
    static void main(String[] arguments) throws InterruptedException {
        GenericApplicationContext context = new GenericApplicationContext();
        context.registerBean(Part.class);
        if (arguments.length > 0)
            context.registerBean(
                    Judge.class, () -> new Judge(context.getBean(Part.class), Integer.parseInt(arguments[0])));
        context.refresh();
        context.registerShutdownHook();
        OrderlyStop.onTermination(context);
        System.out.println("up");
        Thread.currentThread().join();
    }

    /** Knows whether the part was stopped before. */
    record Judge(Part part, int code) implements ExitCodeGenerator {
        @Override
        public int getExitCode() {
            return part.isRunning() ? -1 : code;
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
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }
}
