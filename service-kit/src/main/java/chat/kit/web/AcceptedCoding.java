package chat.kit.web;

import java.util.List;
import java.util.Locale;
import org.springframework.http.HttpHeaders;

/** Parses {@code Accept-Encoding}; ignores unreadable elements. */
final class AcceptedCoding {
    static final String GZIP = "gzip";

    private AcceptedCoding() {}

    /** Returns whether the client accepts gzip. */
    static boolean isGzip(HttpHeaders headers) {
        Boolean any = null;
        for (String line : headers.getOrEmpty(HttpHeaders.ACCEPT_ENCODING))
            for (String element : line.split(",", -1)) {
                List<String> parts = List.of(element.toLowerCase(Locale.ROOT).split(";", -1));
                String coding = parts.getFirst().strip();
                if (coding.equals(GZIP)) return isWanted(parts);
                if (coding.equals("*")) any = isWanted(parts);
            }
        return any != null && any;
    }

    /** Returns whether the weight, {@code q=}, is above 0. */
    private static boolean isWanted(List<String> parts) {
        for (String parameter : parts.subList(1, parts.size())) {
            String text = parameter.strip();
            if (text.startsWith("q="))
                return text.matches("q=(0\\.\\d{0,3}|1(\\.0{0,3})?)") && !text.matches("q=0\\.0*");
        }
        return true;
    }
}
