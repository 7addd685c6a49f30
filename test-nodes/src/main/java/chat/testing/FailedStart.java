package chat.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Starts a program in this JVM and expects the start to fail. */
public final class FailedStart {
    private FailedStart() {}

    /** Returns its standard output. Nothing else may print at the same time. */
    public static String outputOf(ThrowingCallable start) {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            assertThatThrownBy(start).isNotNull();
        } finally {
            System.setOut(before);
        }
        return output.toString(StandardCharsets.UTF_8);
    }
}
