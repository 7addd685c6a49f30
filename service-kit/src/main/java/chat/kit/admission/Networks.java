package chat.kit.admission;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * Matches addresses against a set of networks, such as {@code 10.0.0.0/8}, {@code 2001:db8::/32} or single addresses.
 */
public final class Networks {
    private final List<Network> networks;

    private Networks(List<Network> networks) {
        this.networks = networks;
    }

    /**
     * @param networks addresses, each with an optional prefix length after a slash
     * @throws IllegalArgumentException if one is not a network; the message contains it
     */
    public static Networks of(Collection<String> networks) {
        return new Networks(networks.stream().map(Network::of).toList());
    }

    public boolean isEmpty() {
        return networks.isEmpty();
    }

    public boolean contains(InetAddress address) {
        if (networks.isEmpty()) return false;
        byte[] bytes = address.getAddress();
        return networks.stream().anyMatch(network -> network.contains(bytes));
    }

    private record Network(byte[] address, int bits) {
        static Network of(String text) {
            int slash = text.indexOf('/');
            try {
                byte[] address = Literals.address(slash < 0 ? text : text.substring(0, slash))
                        .getAddress();
                int bits = slash < 0 ? address.length * Byte.SIZE : Integer.parseInt(text.substring(slash + 1));
                Network network = new Network(address, bits);
                if (bits >= 0 && bits <= address.length * Byte.SIZE && network.endsInZeros()) return network;
            } catch (IllegalArgumentException notOne) {
                // Reported below, as all other errors.
            }
            throw new IllegalArgumentException(
                    "a network must be like 10.0.0.0/8, 2001:db8::/32 or a single address, not " + text);
        }

        /** Returns whether all bits after the prefix are zero; other bits are probably a mistake. */
        private boolean endsInZeros() {
            byte[] cut = address.clone();
            for (int bit = bits; bit < cut.length * Byte.SIZE; bit++) cut[bit / Byte.SIZE] &= (byte) ~mask(bit);
            return Arrays.equals(cut, address);
        }

        boolean contains(byte[] other) {
            if (other.length != address.length) return false;
            int whole = bits / Byte.SIZE;
            if (!Arrays.equals(address, 0, whole, other, 0, whole)) return false;
            for (int bit = whole * Byte.SIZE; bit < bits; bit++)
                if (((address[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask(bit)) != 0) return false;
            return true;
        }

        private static int mask(int bit) {
            return 0x80 >>> (bit % Byte.SIZE);
        }
    }
}
