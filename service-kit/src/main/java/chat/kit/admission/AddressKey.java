package chat.kit.admission;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * Identifies a client by its address: a whole IPv4 address, or the first 64 bits of an IPv6 address, because one IPv6
 * subscriber owns all addresses below them.
 *
 * @param bits the address, or its first 64 bits
 */
record AddressKey(boolean version6, long bits) {
    static AddressKey of(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == Integer.BYTES
                ? new AddressKey(false, bytes.getInt())
                : new AddressKey(true, bytes.getLong());
    }
}
