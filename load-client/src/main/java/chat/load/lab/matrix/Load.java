package chat.load.lab.matrix;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Holds the scenario and options that each cell runs, as typed after {@code --}.
 *
 * @param words without those that the matrix adds
 */
public record Load(List<String> words) {
    private static final String URL = "--url";

    public Load {
        words = List.copyOf(words);
        if (words.isEmpty())
            throw new IllegalArgumentException("a scenario has to follow --, such as -- fanout --messages 100");
        if (words.getFirst().startsWith("-"))
            throw new IllegalArgumentException("after -- a scenario has to come first, not " + words.getFirst());
        refuse(words, "--out", "each run gets a folder of its own");
    }

    /** @throws IllegalArgumentException if the option is present */
    void refuse(String option, String reason) {
        refuse(words, option, reason);
    }

    private static void refuse(List<String> words, String option, String reason) {
        if (words.stream().anyMatch(word -> word.equals(option) || word.startsWith(option + "=")))
            throw new IllegalArgumentException(option + " can't be given after --: " + reason);
    }

    List<String> with(List<String> more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(more);
        return all;
    }

    /** The servers given by options. */
    List<URI> urls() {
        return Words.values(words, URL).stream().map(Load::server).toList();
    }

    /** The driver given by options. */
    String driver() {
        List<String> drivers = Words.values(words, "--driver");
        return drivers.isEmpty() ? "confab" : drivers.getLast();
    }

    /** The REST API given by options; null if the load client looks for it or leaves storage unchecked. */
    @Nullable
    URI history() {
        List<String> urls = Words.values(words, "--history-url");
        return urls.isEmpty() || urls.getLast().equals("none") ? null : URI.create(urls.getLast());
    }

    static URI server(String url) {
        URI uri = URI.create(url);
        if (uri.getScheme() == null || uri.getHost() == null)
            throw new IllegalArgumentException("a server is given as ws://host:port, not " + url);
        return uri;
    }
}
