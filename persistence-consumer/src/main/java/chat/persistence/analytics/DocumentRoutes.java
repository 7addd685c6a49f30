package chat.persistence.analytics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.http.CacheControl;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.util.UriUtils;
import reactor.core.publisher.Mono;

/**
 * {@code GET /openapi.json}, which describes all endpoints, and {@code GET /api-docs}, a page to read and try them. Both
 * need nothing from elsewhere.
 */
public final class DocumentRoutes {
    /** Swagger UI sets styles by script and has its pictures in its style sheet. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final MediaType JAVASCRIPT = MediaType.parseMediaType("text/javascript;charset=UTF-8");
    private static final MediaType CSS = MediaType.parseMediaType("text/css;charset=UTF-8");
    private static final MediaType HTML = MediaType.parseMediaType("text/html;charset=UTF-8");

    private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";

    public RouterFunction<ServerResponse> routes() {
        String ui = "META-INF/resources/webjars/swagger-ui/" + version() + "/";
        Map<String, File> files = Map.of(
                "/openapi.json", new File(MediaType.APPLICATION_JSON, "api-docs/openapi.json"),
                "/api-docs", new File(HTML, "api-docs/index.html"),
                "/api-docs/start.js", new File(JAVASCRIPT, "api-docs/start.js"),
                "/api-docs/swagger-ui.css", new File(CSS, ui + "swagger-ui.css"),
                "/api-docs/swagger-ui-bundle.js", new File(JAVASCRIPT, ui + "swagger-ui-bundle.js"));
        RouterFunctions.Builder routes = RouterFunctions.route();
        files.forEach((path, file) -> routes.GET(path, request -> file.send()));
        return routes.route(DocumentRoutes::isOfALibrary, request -> Problems.notFound(request.path()))
                .build();
    }

    /** Boot would serve the other files of the library as well, without our policy, however the path is written. */
    private static boolean isOfALibrary(ServerRequest request) {
        return UriUtils.decode(request.path(), StandardCharsets.UTF_8)
                .replace('\\', '/')
                .contains("webjars/");
    }

    /** Of Swagger UI: part of the path in its jar. */
    private static String version() {
        try {
            return PropertiesLoaderUtils.loadProperties(new ClassPathResource(WEBJAR))
                    .getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException("Swagger UI is not on the class path", unreadable);
        }
    }

    private record File(MediaType type, Resource content) {
        File(MediaType type, String path) {
            this(type, new ClassPathResource(path));
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
