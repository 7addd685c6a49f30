package chat.launcher;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Creates errors for wrong command-line arguments. */
final class Usage {
    private Usage() {}

    /** @param command the command whose usage is shown; picocli sets it before it calls the command */
    static ParameterException wrong(@Nullable CommandSpec command, String message) {
        if (command == null) throw new IllegalStateException(message);
        return new ParameterException(command.commandLine(), message);
    }
}
