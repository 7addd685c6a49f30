package chat.bench.targets;

import chat.bench.platform.MeasurementFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the memory of a Java process.
 *
 * @param heapKilobytes heap in use after a collection
 * @param residentKilobytes memory of the process before the collection
 * @param threads number of threads before the collection
 */
record ServerMemory(long heapKilobytes, long residentKilobytes, long threads) {
    private static final Pattern USED = Pattern.compile("\\bused (\\d+)K");

    static ServerMemory of(long pid) throws IOException, InterruptedException {
        String status = Files.readString(Path.of("/proc", Long.toString(pid), "status"));
        // A single collection may leave objects that were only just promoted.
        jcmd(pid, "GC.run");
        jcmd(pid, "GC.run");
        return new ServerMemory(used(jcmd(pid, "GC.heap_info")), field("VmRSS", status), field("Threads", status));
    }

    /** Returns a number from {@code /proc/PID/status}. */
    static long field(String name, String status) {
        return number(Pattern.compile("^" + name + ":\\s+(\\d+)", Pattern.MULTILINE), status);
    }

    /** Returns the heap in use from the output of {@code jcmd GC.heap_info}, in kB. */
    static long used(String heapInfo) {
        return number(USED, heapInfo);
    }

    private static long number(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        if (!found.find()) throw new MeasurementFailure("No " + pattern + " in: " + text);
        return Long.parseLong(found.group(1));
    }

    private static String jcmd(long pid, String command) throws IOException, InterruptedException {
        Path program = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process process = new ProcessBuilder(program.toString(), Long.toString(pid), command)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) throw new MeasurementFailure("jcmd " + pid + " " + command + " failed: " + output);
        return output;
    }
}
