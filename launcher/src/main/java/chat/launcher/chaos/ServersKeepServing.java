package chat.launcher.chaos;

import chat.launcher.platform.ChildProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks during another fault that chat servers accept connections and that their memory does not grow. */
final class ServersKeepServing implements Fault {
    /** Maximum growth of the servers' resident memory while they cannot publish; their buffers are bounded. */
    private static final long MOST_GROWTH = 200L << 20;

    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s*(\\d+) kB");

    private final Target target;
    private final Fault fault;
    private final List<String> complaints = new ArrayList<>();
    private long memory;

    ServersKeepServing(Target target, Fault fault) {
        this.target = target;
        this.fault = fault;
    }

    @Override
    public void inject() throws InterruptedException {
        memory = residentMemory();
        fault.inject();
    }

    @Override
    public void heal() throws InterruptedException {
        long grown = residentMemory() - memory;
        if (grown > MOST_GROWTH) complaints.add("the servers' memory grew by " + (grown >> 20) + " MiB");
        for (ChildProgram server : target.cluster().servers())
            if (!target.isReady(server)) complaints.add(server.name() + " accepted no connections during the fault");
        fault.heal();
    }

    @Override
    public List<String> complaints() throws InterruptedException {
        complaints.addAll(fault.complaints());
        return complaints;
    }

    /** Returns the resident memory of all servers, in bytes. */
    private long residentMemory() {
        long kilobytes = 0;
        for (ChildProgram server : target.cluster().servers()) {
            try {
                Matcher resident = RESIDENT.matcher(Files.readString(Path.of("/proc/" + server.pid() + "/status")));
                if (resident.find()) kilobytes += Long.parseLong(resident.group(1));
            } catch (IOException gone) {
                throw new ChaosFailure("cannot read the memory of " + server.name() + ": " + gone);
            }
        }
        return kilobytes << 10;
    }
}
