package chat.load.sample;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A PostgreSQL database and who may ask it.
 *
 * @param url of JDBC; may hold user and password itself
 * @param user empty: the URL's
 */
record Database(String url, String user, String password) {
    private static final Pattern PORT = Pattern.compile("//[^/?]*:(\\d{1,5})(?:[/?]|$)");
    private static final int DEFAULT_PORT = 5432;

    int port() {
        Matcher port = PORT.matcher(url);
        return port.find() ? Integer.parseInt(port.group(1)) : DEFAULT_PORT;
    }

    /** Without anything secret. */
    @Override
    public String toString() {
        return url.replaceAll("\\?.*", "").replaceAll("//[^/]*@", "//");
    }
}
