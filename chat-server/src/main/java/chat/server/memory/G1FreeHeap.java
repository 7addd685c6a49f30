package chat.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import com.sun.management.VMOption.Origin;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The free heap of this JVM, where G1 collects: by the options that HotSpot lets be set while it runs. G1 fits the heap to the
 * ratios when it has marked it. By itself it does that where much is allocated only; else an interval makes it, if nothing was
 * collected for so long: a short one until it has marked, since it collects now and then also where little is allocated, and
 * then a long one. Not thread-safe.
 */
final class G1FreeHeap implements FreeHeap {
    private static final String INTERVAL = "G1PeriodicGCInterval";
    private static final String MILLIS_UNTIL_MARKED = "1000";
    private static final String MILLIS_BETWEEN_MARKINGS = "60000";

    /** In percent of the heap, and milliseconds. In this order, and back in the other, the least is never above the most. */
    private static final Map<String, String> GIVING_BACK = new LinkedHashMap<>();

    static {
        GIVING_BACK.put("MinHeapFreeRatio", "10");
        GIVING_BACK.put("MaxHeapFreeRatio", "30");
        GIVING_BACK.put(INTERVAL, MILLIS_UNTIL_MARKED);
    }

    /** Whoever started the JVM has no part in these. */
    private static final Set<Origin> UNDECIDED = EnumSet.of(Origin.DEFAULT, Origin.ERGONOMIC);

    /** Counts both pauses of each marking. */
    private static final String MARKING = "G1 Concurrent GC";

    private final HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    private final LinkedHashMap<String, String> before = new LinkedHashMap<>();
    private long markingsBefore;
    private boolean marked;

    @Override
    public boolean isOurs() {
        return Boolean.parseBoolean(value("UseG1GC"))
                && !value("MinHeapSize").equals(value("MaxHeapSize"))
                && GIVING_BACK.keySet().stream().map(vm::getVMOption).allMatch(G1FreeHeap::isUndecided);
    }

    private String value(String option) {
        return vm.getVMOption(option).getValue();
    }

    private static boolean isUndecided(VMOption option) {
        return option.isWriteable() && UNDECIDED.contains(option.getOrigin());
    }

    private static long markings() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(collector -> collector.getName().equals(MARKING))
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    @Override
    public void giveBack() {
        markingsBefore = markings();
        marked = false;
        GIVING_BACK.forEach((option, value) -> {
            before.put(option, value(option));
            vm.setVMOption(option, value);
        });
    }

    @Override
    public void goOn() {
        if (marked || markings() == markingsBefore) return;
        marked = true;
        vm.setVMOption(INTERVAL, MILLIS_BETWEEN_MARKINGS);
    }

    @Override
    public void keep() {
        before.reversed().forEach(vm::setVMOption);
    }
}
