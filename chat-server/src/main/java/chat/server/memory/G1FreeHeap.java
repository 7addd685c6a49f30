package chat.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import com.sun.management.VMOption.Origin;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The free memory of this JVM, where G1 collects: by the options that HotSpot lets be set while it runs. G1 fits the heap to the
 * ratios when it has marked it, and what it found to be garbage among what lives it collects in the pauses after that: both of
 * which by itself it does where much is allocated only. An interval makes it do so, if nothing was collected for so long; as little
 * things are collected now and then on an idle server, too, it has to be a short one, and is there only while the heap becomes
 * smaller by it, once a minute. Then the C library gives back what it keeps. Not thread-safe.
 */
final class G1FreeHeap implements FreeHeap {
    private static final Logger logger = LoggerFactory.getLogger(G1FreeHeap.class);
    private static final int SECONDS_OF_REST = 60;

    /** A marking, a pause for each part of what it found, and a marking that fits the heap to that come within so many. */
    private static final int SECONDS_WITHOUT_GAIN = 10;

    private static final String INTERVAL = "G1PeriodicGCInterval";
    private static final String COLLECT_SOON = "1000";
    private static final String COLLECT_NOT = "0";

    /** In percent of the heap, and milliseconds. In this order, and back in the other, the least is never above the most. */
    private static final Map<String, String> GIVING_BACK = new LinkedHashMap<>();

    static {
        GIVING_BACK.put("MinHeapFreeRatio", "5");
        GIVING_BACK.put("MaxHeapFreeRatio", "10");
        GIVING_BACK.put(INTERVAL, COLLECT_SOON);
    }

    /** Whoever started the JVM has no part in these. */
    private static final Set<Origin> UNDECIDED = EnumSet.of(Origin.DEFAULT, Origin.ERGONOMIC);

    private final HotSpotDiagnosticMXBean vm = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    private final LinkedHashMap<String, String> before = new LinkedHashMap<>();
    /** Bytes that the heap had at the least since it is collected. */
    private long least;

    private int secondsWithoutGain;
    private int secondsToRest;

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

    @Override
    public void giveBack() {
        GIVING_BACK.forEach((option, value) -> {
            before.put(option, value(option));
            vm.setVMOption(option, value);
        });
        collect();
    }

    private void collect() {
        least = Long.MAX_VALUE;
        secondsWithoutGain = 0;
        secondsToRest = 0;
    }

    @Override
    public void goOn() {
        if (secondsToRest > 0) {
            if (--secondsToRest > 0) return;
            vm.setVMOption(INTERVAL, COLLECT_SOON);
            collect();
        } else if (isSmaller()) {
            secondsWithoutGain = 0;
        } else if (++secondsWithoutGain == SECONDS_WITHOUT_GAIN) {
            vm.setVMOption(INTERVAL, COLLECT_NOT);
            trim();
            secondsToRest = SECONDS_OF_REST;
        }
    }

    private boolean isSmaller() {
        long now = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
        boolean smaller = now < least;
        if (smaller) least = now;
        return smaller;
    }

    /** As {@code jcmd PID System.trim_native_heap} does, where the C library is one that can. */
    private static void trim() {
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "systemTrimNativeHeap",
                            new Object[0],
                            new String[0]);
        } catch (JMException notHere) {
            logger.debug("the C library keeps what it has", notHere);
        }
    }

    @Override
    public void keep() {
        before.reversed().forEach(vm::setVMOption);
    }
}
