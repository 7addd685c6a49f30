package chat.kit.admission;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * By what a client's address is told from others: all of an IPv4 address, the first 64 bits of an IPv6 one, since whoever
 * has a line of IPv6 has all addresses below these.
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
