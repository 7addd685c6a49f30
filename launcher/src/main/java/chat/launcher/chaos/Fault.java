package chat.launcher.chaos;

import java.util.List;

/** Damages a running platform, and ends the damage. An object is used once. */
interface Fault {
    /** Begins the damage; returns when it lasts, or when it is over. */
    void inject() throws InterruptedException;

    /** Ends the damage and returns when the affected programs run again. */
    void heal() throws InterruptedException;

    /** Returns failed checks of this fault, for people. Called after the platform has recovered. */
    default List<String> complaints() throws InterruptedException {
        return List.of();
    }

    /** A step that waits for other programs. */
    interface Step {
        void run() throws InterruptedException;
    }

    /** Returns a fault without checks of its own. */
    static Fault of(Step inject, Step heal) {
        return new Fault() {
            @Override
            public void inject() throws InterruptedException {
                inject.run();
            }

            @Override
            public void heal() throws InterruptedException {
                heal.run();
            }
        };
    }
}
