package chat.load.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Chromium without a window, started for one page. */
final class Browser {
    private static final Pattern SCRIPT = Pattern.compile("<script.*?</script>", Pattern.DOTALL);
    private static final int LIMIT_SECONDS = 120;

    private Browser() {}

    /**
     * Opens a page and lets its scripts run.
     *
     * @param folder for what the browser leaves behind
     * @return the document as the scripts left it, without them; fails if one of them failed or was not allowed
     */
    static String open(Path page, Path folder) throws IOException, InterruptedException {
        Path dom = folder.resolve("dom.html");
        Path log = folder.resolve("browser.log");
        Process browser = new ProcessBuilder(
                        executable(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--no-first-run",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "--window-size=1400,1000",
                        "--virtual-time-budget=5000",
                        "--enable-logging=stderr",
                        "--dump-dom",
                        page.toUri().toString())
                .redirectOutput(dom.toFile())
                .redirectError(log.toFile())
                .start();
        try {
            assertThat(browser.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            browser.destroyForcibly();
        }
        assertThat(Files.readAllLines(log)).noneMatch(line -> line.contains("CONSOLE"));
        return SCRIPT.matcher(Files.readString(dom)).replaceAll("");
    }

    private static String executable() {
        return Stream.concat(
                        Optional.ofNullable(System.getenv("CHROMIUM")).stream(),
                        List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome").stream())
                .filter(path -> Files.isExecutable(Path.of(path)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("Chromium is not installed: apt-get install chromium"));
    }
}
