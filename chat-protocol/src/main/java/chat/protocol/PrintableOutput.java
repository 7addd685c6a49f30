package chat.protocol;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;

/**
 * The edge where command line programs print: text of other programs, such as a server's close reason, may hold control
 * characters, by which it could move the cursor, rename the window or hide lines of a terminal. All but line ends and tabs
 * come out as {@code ?}. The text must be UTF-8.
 */
public final class PrintableOutput extends FilterOutputStream {
    private static final int DELETE = 0x7f;
    /** Begins the two bytes of U+0080 to U+00BF, of which the first 32 are control characters. */
    private static final int HIGH = 0xc2;

    private static final int NONE = -1;

    /** A byte whose meaning the next one decides: {@link #HIGH} or a carriage return. */
    private int held = NONE;

    public PrintableOutput(OutputStream out) {
        super(out);
    }

    /** From now on, everything that this program prints passes here. */
    public static void install() {
        System.setOut(printing(FileDescriptor.out));
        System.setErr(printing(FileDescriptor.err));
    }

    private static PrintStream printing(FileDescriptor to) {
        PrintStream before = to.equals(FileDescriptor.out) ? System.out : System.err;
        return new PrintStream(new PrintableOutput(new FileOutputStream(to)), true, before.charset());
    }

    /** The standard output untouched, for what this program writes to move the cursor itself. */
    public static PrintWriter untouched() {
        return new PrintWriter(new FileOutputStream(FileDescriptor.out), true, System.out.charset());
    }

    @Override
    public void write(int next) throws IOException {
        write(new byte[] {(byte) next}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        ByteArrayOutputStream printable = new ByteArrayOutputStream(length + 1);
        for (int i = offset; i < offset + length; i++) add(bytes[i] & 0xff, printable);
        printable.writeTo(out);
    }

    private void add(int next, ByteArrayOutputStream printable) {
        int before = held;
        held = NONE;
        if (before == HIGH) {
            if (next >= 0x80 && next < 0xa0) {
                printable.write('?');
                return;
            }
            printable.write(HIGH);
        } else if (before == '\r') {
            printable.write(next == '\n' ? '\r' : '?');
        }
        if (next == HIGH || next == '\r') held = next;
        else printable.write(isControl(next) ? '?' : next);
    }

    private static boolean isControl(int next) {
        return next == DELETE || (next < ' ' && next != '\n' && next != '\t');
    }
}
