package chat.kit.web;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;

/**
 * Holds a file in memory, uncompressed and compressed, each with an entity tag of its content. Ranges are not
 * supported: a request for a part gets the whole file, because files are small.
 */
final class StaticFile {
    private static final Map<String, MediaType> TYPES = Map.of(
            "html", MediaType.parseMediaType("text/html;charset=UTF-8"),
            "css", MediaType.parseMediaType("text/css;charset=UTF-8"),
            "js", MediaType.parseMediaType("text/javascript;charset=UTF-8"),
            "ts", MediaType.parseMediaType("application/typescript;charset=UTF-8"),
            "svg", MediaType.parseMediaType("image/svg+xml"),
            "json", MediaType.APPLICATION_JSON);

    /** Minimum size for compression, in bytes. */
    private static final int SMALLEST_COMPRESSED = 512;

    private static final int TAG_BYTES = 16;

    private record Form(byte[] bytes, String tag) {
        static Form of(byte[] bytes) {
            return new Form(bytes, '"' + digest(bytes) + '"');
        }

        private static String digest(byte[] bytes) {
            try {
                byte[] whole = MessageDigest.getInstance("SHA-256").digest(bytes);
                return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(whole, TAG_BYTES));
            } catch (NoSuchAlgorithmException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private final MediaType type;
    private final Map<String, String> headers;
    private final Form plain;
    private final @Nullable Form compressed;

    /**
     * @param name file name; its extension determines the content type
     * @param headers headers of each response
     */
    StaticFile(String name, byte[] content, Map<String, String> headers) {
        MediaType known = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        if (known == null) throw new IllegalArgumentException("unknown content type of " + name);
        this.type = known;
        this.headers = headers;
        this.plain = Form.of(content);
        byte[] smaller =
                content.length < SMALLEST_COMPRESSED ? content : Gzip.compress(content, Deflater.BEST_COMPRESSION);
        this.compressed = smaller.length < content.length ? Form.of(smaller) : null;
    }

    Mono<ServerResponse> answer(ServerRequest request) {
        HttpHeaders asked = request.headers().asHttpHeaders();
        Form form = compressed != null && AcceptedCoding.isGzip(asked) ? compressed : plain;
        boolean known = names(asked.getOrEmpty(HttpHeaders.IF_NONE_MATCH), form.tag());
        ServerResponse.BodyBuilder response = ServerResponse.status(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK)
                .cacheControl(CacheControl.noCache())
                .eTag(form.tag())
                .headers(all -> headers.forEach(all::set));
        if (compressed != null) response = response.header(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
        if (known) return response.build();
        response = response.contentType(type).header(HttpHeaders.ACCEPT_RANGES, "none");
        if (form.equals(compressed)) response = response.header(HttpHeaders.CONTENT_ENCODING, AcceptedCoding.GZIP);
        return response.bodyValue(form.bytes());
    }

    /** The server's tags contain no comma, so splitting another tag at commas cannot produce one of them. */
    private static boolean names(List<String> ifNoneMatch, String tag) {
        for (String line : ifNoneMatch)
            for (String element : line.split(",", -1)) {
                String one = element.strip();
                if (one.equals("*") || one.equals(tag) || one.equals("W/" + tag)) return true;
            }
        return false;
    }
}
