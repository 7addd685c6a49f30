package chat.launcher.chaos;

import org.jspecify.annotations.Nullable;

/** Repeats a step for as long as the fault lasts. */
final class RepeatedFault implements Fault {
    private final String name;
    private final Background.Step step;
    private @Nullable Background background;

    /** @param name of the step, for people */
    RepeatedFault(String name, Background.Step step) {
        this.name = name;
        this.step = step;
    }

    @Override
    public void inject() {
        background = new Background(name, step);
    }

    @Override
    public void heal() throws InterruptedException {
        if (background != null) background.stop();
    }
}
