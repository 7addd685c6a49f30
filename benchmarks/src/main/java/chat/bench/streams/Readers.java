package chat.bench.streams;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Controls the reading process from the writing one. */
final class Readers implements AutoCloseable {
    /** @param p50 latency from the intended publish time to the read, in microseconds; p99 likewise */
    record Told(long entries, long p50, long p99) {}

    private final Process process;
    private final BufferedReader answers;
    private final PrintWriter commands;

    Readers(String uri, int streamPort) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        // The CPU time of a compiler thread that ends would be lost.
                        "-XX:-UseDynamicNumberOfCompilerThreads",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ReaderProcess.class.getName(),
                        uri,
                        Integer.toString(streamPort))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = process.inputReader(StandardCharsets.UTF_8);
        commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    }

    long pid() {
        return process.pid();
    }

    void open(Way way, int readers) throws IOException {
        ask("open " + way + " " + readers);
    }

    void window(long from, long to) throws IOException {
        ask("window " + from + " " + to);
    }

    Told tell() throws IOException {
        String[] words = ask("tell").split(" ", -1);
        return new Told(Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    private String ask(String command) throws IOException {
        commands.println(command);
        String answer = answers.readLine();
        if (answer == null) throw new IOException("the reading process exited");
        return answer;
    }

    @Override
    public void close() {
        commands.close();
        process.destroy();
    }
}
