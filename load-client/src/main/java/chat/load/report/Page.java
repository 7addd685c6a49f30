package chat.load.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Builds a self-contained HTML file with styles, uPlot, scripts and data. Its content security policy lists its
 * scripts by hash, so that it cannot load anything or execute code from the data.
 *
 * @param scripts resources of this package, or of others with their whole path, in order; the last one draws the page
 * @param data for the scripts, as JSON
 */
public record Page(String title, List<String> scripts, String data) {
    private static final Pattern SLOT = Pattern.compile("\\{\\{(\\w+)}}");

    public String html() {
        String style = resource("uplot/uPlot.min.css") + "\n" + resource("page.css");
        // The MIT license requires the notice in every copy.
        String library = "/*\n" + resource("uplot/LICENSE") + "\n*/\n" + resource("uplot/uPlot.iife.min.js");
        StringBuilder script = new StringBuilder("(() => {\n'use strict';\n");
        for (String name : scripts) script.append(resource(name)).append('\n');
        script.append("})();\n");
        Map<String, String> slots = Map.of(
                "title",
                escaped(title),
                "policy",
                "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(library) + " "
                        + hash(script.toString()),
                "style",
                style,
                "library",
                library,
                "data",
                harmless(data),
                "script",
                script.toString());
        // One pass: inserted text is not searched for placeholders.
        return SLOT.matcher(resource("page.html"))
                .replaceAll(slot -> Matcher.quoteReplacement(Objects.requireNonNull(slots.get(slot.group(1)))));
    }

    /** In JSON {@code <} occurs only within strings; without it, no string can begin or end an element. */
    static String harmless(String json) {
        return json.replace("<", "\\u003c");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    private static String hash(String content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException("every JDK has SHA-256", never);
        }
    }

    private static String resource(String name) {
        try (InputStream in = Page.class.getResourceAsStream(name)) {
            if (in == null) throw new IllegalStateException("missing from the jar: " + name);
            // Browsers normalize line ends to \n before hashing.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
