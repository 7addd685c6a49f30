package chat.load.lab.matrix;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Builds a comparison as a matrix: the same load against several servers, each possibly with its own protocol. */
public final class Comparison {
    private Comparison() {}

    /**
     * One of the servers compared.
     *
     * @param name in the table
     * @param driver of the load client for its protocol
     */
    public record Server(String name, String driver, List<URI> urls) {
        public Server {
            urls = List.copyOf(urls);
        }

        /** @param text {@code NAME=URL,URL}, or {@code NAME:DRIVER=URL} if the name is not the driver's */
        public static Server parse(String text) {
            int equals = text.indexOf('=');
            if (equals < 1 || equals + 1 == text.length())
                throw new IllegalArgumentException("a server is given as NAME=ws://host:port, not '" + text + "'");
            String name = text.substring(0, equals);
            int colon = name.indexOf(':');
            List<URI> urls = new ArrayList<>();
            for (String url : text.substring(equals + 1).split(",", -1)) urls.add(Load.server(url));
            return colon < 0
                    ? new Server(name, name, urls)
                    : new Server(name.substring(0, colon), name.substring(colon + 1), urls);
        }
    }

    /**
     * @param starts by server name, how to start it for its own runs; the others already run
     * @throws IllegalArgumentException if it cannot run; the message says why
     */
    public static List<Cell> cells(List<Server> servers, Map<String, Platform> starts, Load load) {
        if (servers.isEmpty()) throw new IllegalArgumentException("nothing is compared: give --server");
        load.refuse("--url", "--server names it");
        load.refuse("--driver", "--server names it");
        Set<String> names = servers.stream().map(Server::name).collect(Collectors.toSet());
        for (String name : starts.keySet())
            if (!names.contains(name))
                throw new IllegalArgumentException("--start names " + name + ", which is no --server");
        return servers.stream()
                .map(server -> cell(server, starts.get(server.name()), load))
                .toList();
    }

    private static Cell cell(Server server, @Nullable Platform start, Load load) {
        List<String> options = new ArrayList<>(List.of("--driver", server.driver()));
        for (URI url : server.urls()) options.addAll(List.of("--url", url.toString()));
        Platform platform = start == null ? null : start.withFreshDirectory();
        return new Cell(
                Map.of("server", server.name()),
                load.with(options),
                platform,
                Readiness.of(server.urls(), server.driver(), load.history(), platform));
    }
}
