package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path folder;

    @Test
    void finishedRunsAreComparedInTheFirstFolderOrWhereItIsSaid() throws IOException {
        finished("a");
        finished("b");
        assertThat(report("a", "b")).isZero();
        assertThat(out.toString().strip()).isEqualTo("written: " + folder.resolve("a/comparison.html"));
        assertThat(folder.resolve("a/comparison.html")).isNotEmptyFile();
        assertThat(report("a", "b", "--out", folder.resolve("new/place").toString()))
                .isZero();
        assertThat(folder.resolve("new/place/comparison.html")).isNotEmptyFile();
    }

    @Test
    void aFolderThatIsNoRunExitsWith2AndOneLine() throws IOException {
        finished("a");
        Files.createDirectories(folder.resolve("empty"));
        assertThat(report("a", "empty")).isEqualTo(2);
        assertThat(err.toString().lines())
                .singleElement()
                .asString()
                .startsWith("load: ")
                .contains("holds no run");
    }

    @Test
    void noFolderAtAllExitsWith2() {
        assertThat(report()).isEqualTo(2);
        assertThat(err.toString()).startsWith("load: ").contains("FOLDER");
    }

    @Test
    void unwritableFolderExitsWith2AndOneLine() throws IOException {
        finished("a");
        finished("b");
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(report("a", "b", "--out", file.toString())).isEqualTo(2);
        assertThat(err.toString().lines()).singleElement().asString().contains("cannot be written");
    }

    private void finished(String name) throws IOException {
        Files.writeString(
                Files.createDirectories(folder.resolve(name)).resolve("summary.json"),
                "{\"passed\":true,\"verdict\":{},\"rates\":{\"accepted\":1}}");
    }

    private int report(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "report";
        boolean option = false;
        for (int i = 0; i < arguments.length; i++) {
            option |= arguments[i].startsWith("--");
            all[i + 1] = option ? arguments[i] : folder.resolve(arguments[i]).toString();
        }
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(all);
    }
}
