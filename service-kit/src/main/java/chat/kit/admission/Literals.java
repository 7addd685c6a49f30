package chat.kit.admission;

import java.net.InetAddress;

/** Addresses as they are written; never names, which somebody would have to be asked for. */
final class Literals {
    private Literals() {}

    /** @throws IllegalArgumentException it is none */
    static InetAddress address(String text) {
        boolean version6 = text.indexOf(':') >= 0;
        // The JDK takes 10.1 for 10.0.0.1, too; and for a zone it would ask the machine's interfaces.
        if ((!version6 && text.chars().filter(c -> c == '.').count() != 3) || text.indexOf('%') >= 0)
            throw new IllegalArgumentException("not an address: " + text);
        return InetAddress.ofLiteral(text);
    }
}
