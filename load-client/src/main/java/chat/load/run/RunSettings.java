package chat.load.run;

import chat.load.driver.ServerUrl;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds what a run needs besides its plan.
 *
 * @param urls the chat servers, at least one
 * @param threads number of event loops, at least 1
 * @param checksStorage whether stored messages are read back
 * @param historyUrl where to read them back; null to look for it at the first server
 * @param out folder for the report; null for none
 * @param csv file for a line per message; null for none
 * @param arguments as typed
 * @param version of the load client; null if unknown
 */
public record RunSettings(
        List<ServerUrl> urls,
        int threads,
        boolean checksStorage,
        @Nullable URI historyUrl,
        @Nullable Path out,
        @Nullable Path csv,
        List<String> arguments,
        @Nullable String version) {
    public RunSettings {
        if (threads < 1) throw new IllegalArgumentException("threads must be at least 1");
        urls = List.copyOf(urls);
        arguments = List.copyOf(arguments);
    }
}
