package chat.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PrintableOutputTest {
    private static String printed(String text, int size) throws IOException {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        byte[] bytes = text.getBytes(UTF_8);
        try (PrintableOutput out = new PrintableOutput(printed)) {
            for (int i = 0; i < bytes.length; i += size) out.write(bytes, i, Math.min(size, bytes.length - i));
        }
        return printed.toString(UTF_8);
    }

    private static void assertPrinted(String text, String expected) throws IOException {
        for (int size = 1; size <= 20; size++)
            assertThat(printed(text, size)).as("by %d", size).isEqualTo(expected);
    }

    @Test
    void controlCharactersAreReplaced() throws IOException {
        assertPrinted("a\u001b[31mred\u0007\u0000\u007f\u0008", "a?[31mred????");
        assertPrinted("one byte\u009b31m and \u0080\u009f", "one byte?31m and ??");
        assertPrinted("PASS\rFAIL\n", "PASS?FAIL\n");
    }

    @Test
    void everythingElseIsPrintedAsItIs() throws IOException {
        String text = "line\n\ttab\r\nZoë £ \u00a0\u00bf € \uD83D\uDE00 \u00c2\u00e9 end\n";
        assertPrinted(text, text);
    }
}
