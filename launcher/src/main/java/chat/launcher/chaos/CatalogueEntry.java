package chat.launcher.chaos;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Describes a fault of the catalogue.
 *
 * @param id number in docs/guide/chaos.md
 * @param name as people type it
 * @param what was done, for people
 * @param hold time from the injection to the end of the fault
 * @param repair how long the load continues after the end of the fault
 * @param bounds which the outcome must keep
 * @param fault creates the fault for one injection
 */
public record CatalogueEntry(
        String id,
        String name,
        String what,
        Duration hold,
        Duration repair,
        List<Bound> bounds,
        Supplier<Fault> fault) {}
