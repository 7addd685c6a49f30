package chat.launcher.chaos;

import java.util.ArrayList;
import java.util.List;

/** Injects a fault while another one lasts; ends them in the same order. */
record Together(Fault first, Fault second) implements Fault {
    @Override
    public void inject() throws InterruptedException {
        first.inject();
        second.inject();
    }

    @Override
    public void heal() throws InterruptedException {
        first.heal();
        second.heal();
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        List<String> complaints = new ArrayList<>(first.complaints());
        complaints.addAll(second.complaints());
        return complaints;
    }
}
