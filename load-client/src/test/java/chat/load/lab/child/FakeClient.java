package chat.load.lab.child;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * A load client without load that tests start as a child process. It writes its arguments and a summary, and exits as
 * its options require: {@code --sends N}, {@code --lost N}, {@code --say WORDS}, {@code --exit CODE},
 * {@code --forever}, {@code --no-summary}; {@code --window N} makes it N times as fast.
 */
public final class FakeClient {
    private FakeClient() {}

    /** How to start it. */
    public static List<String> command() {
        return java(FakeClient.class);
    }

    /** How to start a class of the tests that needs nothing but the JDK; quickly. */
    public static List<String> java(Class<?> main) {
        try {
            return List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-Xshare:auto",
                    "-Xmx32m",
                    "-cp",
                    Path.of(main.getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                            .toString(),
                    main.getName());
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> options = new ArrayList<>(Arrays.asList(arguments));
        Path out = Path.of(option(options, "--out", "."));
        Files.write(out.resolve("arguments.txt"), options);
        String said = option(options, "--say", "");
        System.out.println("fake client " + said);
        if (options.contains("--forever")) new CountDownLatch(1).await();
        int exit = Integer.parseInt(option(options, "--exit", "0"));
        if (!options.contains("--no-summary")) Files.writeString(out.resolve("summary.json"), summary(options, exit));
        System.exit(exit);
    }

    private static String summary(List<String> options, int exit) {
        double sends = Double.parseDouble(option(options, "--sends", "100"))
                * Double.parseDouble(option(options, "--window", "1"));
        long lost = Long.parseLong(option(options, "--lost", "0"));
        return String.format(
                Locale.ROOT,
                """
                {"passed":%b,"rates":{"sends":%s,"deliveries":%s},
                 "latencyMillis":{"frame to ACK":{"count":9,"mean":2,"p50":1.5,"p99":3.5},
                   "frame to delivery at others":{"count":9,"mean":3,"p50":2.5,"p99":4.5}},
                 "verdict":{"checks":[
                   {"name":"accepted is stored","status":"%s","count":0,"examples":[]},
                   {"name":"every member received every TEXT","status":"%s","count":%d,"examples":[]},
                   {"name":"nobody received a TEXT twice","status":"PASS","count":0,"examples":[]}]}}""",
                exit == 0,
                sends,
                sends * 50,
                options.contains("--driver") ? "SKIPPED" : "PASS",
                lost == 0 ? "PASS" : "FAIL",
                lost);
    }

    private static String option(List<String> options, String name, String otherwise) {
        int at = options.lastIndexOf(name);
        return at < 0 || at + 1 == options.size() ? otherwise : options.get(at + 1);
    }
}
