package chat.persistence.dashboard;

import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * {@code GET /dashboard}, a page for everybody: it holds nothing, and asks REST, with its reader's token where one is
 * needed. It loads nothing from elsewhere.
 */
public final class PageRoutes {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    private static final MediaType JAVASCRIPT = MediaType.parseMediaType("text/javascript;charset=UTF-8");
    private static final MediaType CSS = MediaType.parseMediaType("text/css;charset=UTF-8");
    private static final MediaType HTML = MediaType.parseMediaType("text/html;charset=UTF-8");
    private static final MediaType SVG = MediaType.parseMediaType("image/svg+xml");

    /** What there is, below {@code /dashboard/} and in the folder of that name. */
    private static final Map<String, MediaType> FILES = Map.ofEntries(
            Map.entry("tokens.css", CSS),
            Map.entry("dashboard.css", CSS),
            Map.entry("icon.svg", SVG),
            Map.entry("main.js", JAVASCRIPT),
            Map.entry("address.js", JAVASCRIPT),
            Map.entry("chart.js", JAVASCRIPT),
            Map.entry("feed.js", JAVASCRIPT),
            Map.entry("format.js", JAVASCRIPT),
            Map.entry("history.js", JAVASCRIPT),
            Map.entry("html.js", JAVASCRIPT),
            Map.entry("letters.js", JAVASCRIPT),
            Map.entry("overview.js", JAVASCRIPT),
            Map.entry("panel.js", JAVASCRIPT),
            Map.entry("programs.js", JAVASCRIPT),
            Map.entry("rest.js", JAVASCRIPT),
            Map.entry("series.js", JAVASCRIPT),
            Map.entry("uplot/uPlot.iife.min.js", JAVASCRIPT),
            Map.entry("uplot/uPlot.min.css", CSS));

    public RouterFunction<ServerResponse> routes() {
        Map<String, File> files = new LinkedHashMap<>();
        files.put("/dashboard", new File(HTML, "index.html"));
        FILES.forEach((name, type) -> files.put("/dashboard/" + name, new File(type, name)));
        RouterFunctions.Builder routes = RouterFunctions.route()
                .GET(
                        "/dashboard/",
                        request -> ServerResponse.permanentRedirect(URI.create("/dashboard"))
                                .build());
        files.forEach((path, file) -> routes.GET(path, request -> file.send()));
        return routes.build();
    }

    private record File(MediaType type, Resource content) {
        File(MediaType type, String name) {
            this(type, new ClassPathResource("dashboard/" + name));
        }

        Mono<ServerResponse> send() {
            return ServerResponse.ok()
                    .contentType(type)
                    .cacheControl(CacheControl.noCache())
                    .header("Content-Security-Policy", POLICY)
                    .header("X-Content-Type-Options", "nosniff")
                    .header("Referrer-Policy", "no-referrer")
                    .bodyValue(content);
        }
    }
}
