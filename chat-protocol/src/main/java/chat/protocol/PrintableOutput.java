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
 * Replaces control characters other than line breaks and tabs by {@code ?} in the output of command line programs. Text
 * of other programs, such as a server's close reason, could otherwise move the cursor, rename the window or hide lines
 * of the terminal. The text must be UTF-8.
 */
public final class PrintableOutput extends FilterOutputStream {
    private static final int DELETE = 0x7f;
    /** First of the two bytes of U+0080 to U+00BF, of which the first 32 are control characters. */
    private static final int HIGH = 0xc2;

    private static final int NONE = -1;

    /** A byte whose meaning depends on the next one: {@link #HIGH} or a carriage return. */
    private int held = NONE;

    public PrintableOutput(OutputStream out) {
        super(out);
    }

    /** Redirects standard output and standard error of this program through this filter. */
    public static void install() {
        System.setOut(printing(FileDescriptor.out));
        System.setErr(printing(FileDescriptor.err));
    }

    private static PrintStream printing(FileDescriptor to) {
        PrintStream before = to.equals(FileDescriptor.out) ? System.out : System.err;
        return new PrintStream(new PrintableOutput(new FileOutputStream(to)), true, before.charset());
    }

    /** Returns the unfiltered standard output, for the program's own control characters. */
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
