package chat.kit.admission;

import java.net.InetAddress;

/** Parses literal IP addresses; never host names, which would need a DNS lookup. */
final class Literals {
    private Literals() {}

    /** @throws IllegalArgumentException if the text is not an address */
    static InetAddress address(String text) {
        boolean version6 = text.indexOf(':') >= 0;
        // The JDK also accepts 10.1 as 10.0.0.1, and looks up zones among the machine's interfaces.
        if ((!version6 && text.chars().filter(c -> c == '.').count() != 3) || text.indexOf('%') >= 0)
            throw new IllegalArgumentException("not an address: " + text);
        return InetAddress.ofLiteral(text);
    }
}
