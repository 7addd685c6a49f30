package chat.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** The load client against a server that only blasts: small, but all of the way. */
@Timeout(240)
class SelfCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void everyDeliveryIsVerifiedAndTheFiguresAreShown() {
        assertThat(self("--rooms", "1", "--users", "3", "--messages", "4", "--rounds", "1"))
                .as(out.toString() + err)
                .isZero();
        assertThat(out.toString())
                .contains("36 deliveries a round, to 3 connections in 1 rooms", "deliveries/s per core")
                .doesNotContain("FAIL", "NaN");
        // All twelve TEXTs in one frame, then one in each; the last figure is how many frames came to all members.
        assertThat(out.toString().lines().map(String::strip))
                .anyMatch(line -> line.matches("100 .* 3"))
                .anyMatch(line -> line.matches("1 .* 36"));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void severalRoomsAndFramesThatDoNotComeOutEven() {
        assertThat(self("--rooms", "3", "--users", "2", "--messages", "5", "--rounds", "2", "--frames", "4"))
                .as(out.toString() + err)
                .isZero();
        // Ten TEXTs of a room in three frames, to two members each.
        assertThat(out.toString().lines().map(String::strip)).anyMatch(line -> line.matches("4 .* 18"));
    }

    private int self(String... options) {
        String[] arguments = new String[options.length + 1];
        arguments[0] = "self";
        System.arraycopy(options, 0, arguments, 1, options.length);
        CommandLine command = LoadClient.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(arguments);
    }
}
