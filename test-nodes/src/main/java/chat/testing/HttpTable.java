package chat.testing;

import static org.assertj.core.api.Assertions.assertThat;

import chat.testing.RawHttp.Answer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Requests each path of a program as clients, proxies and caches may: with every method, validators, encodings, Accept
 * headers and ranges. The list of paths comes from the program itself, so new paths are tested as well.
 */
public final class HttpTable {
    private static final List<String> METHODS =
            List.of("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW");
    private static final List<String> CODINGS =
            List.of("identity", "gzip", "br", "br, gzip;q=0.5", "gzip;q=0", "*", "*;q=0", "gzip;q=x", ";;,", "");
    private static final List<String> ACCEPTED = List.of(
            "garbage",
            "*/*;q=2",
            "image/*;q=x",
            "text",
            "application/json",
            "text/html",
            "application/xml",
            "*/*",
            "",
            ",;");
    private static final List<String> RANGES =
            List.of("bytes=0-9", "bytes=999999-", "bytes=abc", "bytes=0-1,3-4", "bytes=-5", "lines=1-2");
    /** Headers that do not matter or differ in each response. */
    private static final Set<String> OWN = Set.of("date", "age", "connection");

    private final int port;
    private final Map<String, Row> rows = new TreeMap<>();

    /** One path to request. */
    public record Row(String path, Set<String> methods, boolean isExact) {
        @Override
        public String toString() {
            return path;
        }
    }

    /**
     * @param known patterns of the program's paths, with their methods
     * @param examples a path for each pattern with a variable
     */
    public HttpTable(int port, Map<String, ? extends Set<?>> known, Map<String, String> examples) {
        this.port = port;
        Set<String> variable = new TreeSet<>();
        known.forEach((pattern, methods) -> {
            boolean exact = pattern.matches("[^*{]*");
            if (!exact) variable.add(pattern);
            Set<String> names = new TreeSet<>();
            methods.forEach(method -> names.add(method.toString()));
            rows.put(
                    pattern,
                    new Row(exact ? pattern : examples.getOrDefault(pattern, pattern), names, !pattern.contains("*")));
        });
        assertThat(variable).as("each path with a variable has an example").isEqualTo(new TreeSet<>(examples.keySet()));
    }

    public Stream<Row> rows() {
        return rows.values().stream();
    }

    private Answer ask(String method, String path, String... headers) throws IOException {
        try (RawHttp connection = new RawHttp(port)) {
            Answer answer = connection.ask(method, path, headers);
            String request = method + " " + path + " " + String.join(", ", headers) + "\n" + answer;
            assertThat(answer.status()).as(request).isNotEqualTo(500);
            if (!answer.header("connection").equals("close"))
                assertThat(connection.ask("GET", "/health").body())
                        .as("the connection is in sync after " + request)
                        .startsWith((byte) '{');
            return answer;
        }
    }

    public void assertRight(Row row) throws IOException {
        methods(row);
        upgrades(row);
        if (row.isExact() && !row.path().equals("/")) slash(row.path());
        if (!row.methods().contains("GET")) return;
        Answer plain = ask("GET", row.path());
        boolean isFile = plain.headers().containsKey("etag");
        codings(row.path(), plain, isFile);
        for (String accepted : ACCEPTED)
            assertThat(ask("GET", row.path(), "Accept: " + accepted).status())
                    .as("Accept: " + accepted)
                    .isEqualTo(plain.status());
        for (String range : RANGES) {
            Answer answer = ask("GET", row.path(), "Range: " + range);
            assertThat(answer.status()).as(range).isEqualTo(plain.status());
            assertThat(answer.headers()).as(range).doesNotContainKey("content-range");
            if (isFile) assertThat(answer.body()).as(range).isEqualTo(plain.body());
        }
        if (isFile) validators(row.path(), plain);
        for (String date : List.of("Sat, 28 Nov 2099 00:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "yesterday"))
            assertThat(ask("GET", row.path(), "If-Modified-Since: " + date).status())
                    .isEqualTo(plain.status());
    }

    private void methods(Row row) throws IOException {
        Answer options = ask("OPTIONS", row.path());
        assertThat(options.status()).as("OPTIONS").isEqualTo(204);
        assertThat(options.list("allow")).isEqualTo(List.copyOf(new TreeSet<>(row.methods())));
        assertThat(options.headers()).doesNotContainKey("access-control-allow-methods");
        for (String method : METHODS) {
            Answer answer = ask(method, row.path(), "Content-Length: 0");
            if (row.methods().contains(method)) {
                assertThat(answer.status()).as(method).isNotIn(404, 405);
            } else {
                assertThat(answer.status()).as(method).isEqualTo(405);
                assertThat(answer.list("allow")).as(method).isEqualTo(options.list("allow"));
            }
        }
    }

    /** The JDK's client offers HTTP/2 with every request; the server must ignore the offer. */
    private void upgrades(Row row) throws IOException {
        for (String method : METHODS) {
            Answer plain = ask(method, row.path(), "Content-Length: 0");
            for (String protocol : List.of("h2c", "x")) {
                Answer offered =
                        ask(method, row.path(), "Content-Length: 0", "Connection: Upgrade", "Upgrade: " + protocol);
                String request = method + " with Upgrade: " + protocol;
                assertThat(offered.status()).as(request).isEqualTo(plain.status());
                assertThat(offered.list("allow")).as(request).isEqualTo(plain.list("allow"));
            }
        }
    }

    private void slash(String path) throws IOException {
        Answer answer = ask("GET", path + "/?a=b");
        assertThat(answer.status()).as(path + "/").isEqualTo(308);
        assertThat(answer.header("location")).isEqualTo(path + "?a=b");
    }

    private void codings(String path, Answer plain, boolean isFile) throws IOException {
        Set<String> tags = new TreeSet<>();
        List<String> head = new ArrayList<>();
        for (String coding : CODINGS) {
            String header = "Accept-Encoding: " + coding;
            Answer answer = ask("GET", path, header);
            assertThat(answer.status()).as(header).isEqualTo(plain.status());
            boolean compressed = answer.header("content-encoding").equals("gzip");
            boolean wanted = Set.of("gzip", "br, gzip;q=0.5", "*").contains(coding);
            if (compressed) {
                assertThat(wanted).as(header).isTrue();
                assertThat(answer.list("vary")).contains("Accept-Encoding");
                assertThat(plain.list("vary")).contains("Accept-Encoding");
            } else {
                assertThat(answer.headers()).as(header).doesNotContainKey("content-encoding");
                boolean compressible =
                        answer.header("content-type").matches("(text/|application/).*") && answer.body().length > 1_024;
                assertThat(wanted && compressible).as(header + " of " + answer).isFalse();
            }
            if (isFile) {
                assertThat(compressed ? unzipped(answer.body()) : answer.body()).isEqualTo(plain.body());
                tags.add(compressed + answer.header("etag"));
            }
            Answer without = ask("HEAD", path, header);
            assertThat(without.status()).as("HEAD " + header).isEqualTo(answer.status());
            head.add(without.header("content-length"));
            // Responses of running programs change between requests, including their lengths.
            assertThat(isFile ? comparable(without) : comparable(without).keySet())
                    .as("HEAD " + header)
                    .isEqualTo(isFile ? comparable(answer) : comparable(answer).keySet());
        }
        assertThat(tags).as("one tag for each form").hasSizeLessThanOrEqualTo(2);
        assertThat(tags.stream().map(tag -> tag.replaceAll("true|false", "")).distinct())
                .hasSameSizeAs(tags);
        assertThat(head).as("HEAD returns the length").allMatch(length -> length.matches("\\d+"));
    }

    private static Map<String, String> comparable(Answer answer) {
        Map<String, String> headers = new TreeMap<>(answer.headers());
        headers.keySet().removeAll(OWN);
        return headers;
    }

    private static byte[] unzipped(byte[] bytes) throws IOException {
        try (GZIPInputStream gzip = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
            return gzip.readAllBytes();
        }
    }

    private void validators(String path, Answer plain) throws IOException {
        String tag = plain.header("etag");
        assertThat(tag).as("a strong tag").matches("\"[^\"]+\"");
        assertThat(plain.headers()).containsEntry("accept-ranges", "none").containsKey("cache-control");
        for (String known : List.of(tag, "W/" + tag, "\"x\", " + tag, "*", "\"x\"\r\nIf-None-Match: " + tag))
            for (String method : List.of("GET", "HEAD")) {
                Answer answer = ask(method, path, "If-None-Match: " + known);
                assertThat(answer.status()).as(known).isEqualTo(304);
                assertThat(answer.headers())
                        .containsEntry("etag", tag)
                        .containsEntry("cache-control", plain.header("cache-control"))
                        .doesNotContainKey("content-length");
            }
        for (String other : List.of("\"x\"", "x", "", tag.substring(1), "\"" + tag, ",,"))
            assertThat(ask("GET", path, "If-None-Match: " + other).status())
                    .as(other)
                    .isEqualTo(200);
    }

    /** An unknown path is 404 for every method and every Accept header. */
    public void assertUnknown(String path) throws IOException {
        for (String method : METHODS)
            assertThat(ask(method, path, "Content-Length: 0").status())
                    .as(method)
                    .isEqualTo(404);
        for (String accepted : ACCEPTED)
            assertThat(ask("GET", path, "Accept: " + accepted).status())
                    .as("Accept: " + accepted)
                    .isEqualTo(404);
    }
}
