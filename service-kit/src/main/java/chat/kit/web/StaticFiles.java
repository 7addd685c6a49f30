package chat.kit.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/** Serves files from the class path, read at startup. */
public final class StaticFiles {
    private StaticFiles() {}

    /** Returns all files below a folder of the class path, by their path in it, such as {@code js/main.js}. */
    public static Map<String, Resource> below(String folder) {
        Map<String, Resource> files = new LinkedHashMap<>();
        String root = "/" + folder + "/";
        try {
            for (Resource file :
                    new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/**/*.*")) {
                String address = URLDecoder.decode(file.getURL().toString(), StandardCharsets.UTF_8);
                if (file.isReadable())
                    files.putIfAbsent(address.substring(address.lastIndexOf(root) + root.length()), file);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(folder + " is not on the class path", unreadable);
        }
        return files;
    }

    /** Returns the headers of a page that loads nothing from other origins, and of its resources. */
    public static Map<String, String> headers(String contentSecurityPolicy) {
        return Map.of(
                "Content-Security-Policy", contentSecurityPolicy,
                "X-Content-Type-Options", "nosniff",
                "Referrer-Policy", "no-referrer");
    }

    /**
     * @param files files by their paths on the server
     * @param headers headers of each response
     */
    public static RouterFunction<ServerResponse> routes(Map<String, Resource> files, Map<String, String> headers) {
        RouterFunctions.Builder routes = RouterFunctions.route();
        files.forEach((path, content) -> {
            StaticFile file = new StaticFile(String.valueOf(content.getFilename()), read(content), headers);
            routes.GET(path, file::answer);
        });
        return routes.build();
    }

    private static byte[] read(Resource content) {
        try {
            return content.getContentAsByteArray();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(content + " is not on the class path", unreadable);
        }
    }
}
