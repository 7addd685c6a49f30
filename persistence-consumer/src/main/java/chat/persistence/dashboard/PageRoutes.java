package chat.persistence.dashboard;

import chat.kit.web.StaticFiles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Serves {@code GET /dashboard}. Anyone may load the page: it contains no data and queries REST with its reader's
 * token, if one is required. It loads only resources of this server.
 */
public final class PageRoutes {
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
            + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
            + " require-trusted-types-for 'script'; trusted-types 'none'";

    /** Files below {@code /dashboard/}, from the resource folder of that name. */
    private static final List<String> FILES = List.of(
            "tokens.css",
            "dashboard.css",
            "icon.svg",
            "main.js",
            "address.js",
            "chart.js",
            "feed.js",
            "format.js",
            "history.js",
            "html.js",
            "letters.js",
            "overview.js",
            "panel.js",
            "programs.js",
            "rest.js",
            "series.js",
            "uplot/uPlot.iife.min.js",
            "uplot/uPlot.min.css");

    public RouterFunction<ServerResponse> routes() {
        Map<String, Resource> files = new LinkedHashMap<>();
        files.put("/dashboard", file("index.html"));
        FILES.forEach(name -> files.put("/dashboard/" + name, file(name)));
        return StaticFiles.routes(files, StaticFiles.headers(POLICY));
    }

    private static Resource file(String name) {
        return new ClassPathResource("dashboard/" + name);
    }
}
