package chat.persistence.analytics;

import chat.kit.web.StaticFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.support.PropertiesLoaderUtils;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * Serves {@code GET /openapi.json}, which describes all endpoints, and {@code GET /api-docs}, a page to read and try
 * them. Both load only resources of this server.
 */
public final class DocumentRoutes {
    /** Swagger UI sets styles by script and embeds its pictures in its style sheet. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
            + " img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final String WEBJAR = "META-INF/maven/org.webjars/swagger-ui/pom.properties";

    public RouterFunction<ServerResponse> routes() {
        String ui = "META-INF/resources/webjars/swagger-ui/" + version() + "/";
        return StaticFiles.routes(
                Map.of(
                        "/openapi.json", new ClassPathResource("api-docs/openapi.json"),
                        "/api-docs", new ClassPathResource("api-docs/index.html"),
                        "/api-docs/start.js", new ClassPathResource("api-docs/start.js"),
                        "/api-docs/swagger-ui.css", new ClassPathResource(ui + "swagger-ui.css"),
                        "/api-docs/swagger-ui-bundle.js", new ClassPathResource(ui + "swagger-ui-bundle.js")),
                StaticFiles.headers(POLICY));
    }

    /** Version of Swagger UI, which is part of the path in its jar. */
    private static String version() {
        try {
            return PropertiesLoaderUtils.loadProperties(new ClassPathResource(WEBJAR))
                    .getProperty("version");
        } catch (IOException unreadable) {
            throw new UncheckedIOException("Swagger UI is not on the class path", unreadable);
        }
    }
}
