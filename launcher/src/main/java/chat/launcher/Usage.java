package chat.launcher;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** What commands say of arguments that are wrong. */
final class Usage {
    private Usage() {}

    /** @param command whose usage is shown; picocli has set it before a command is called */
    static ParameterException wrong(@Nullable CommandSpec command, String message) {
        if (command == null) throw new IllegalStateException(message);
        return new ParameterException(command.commandLine(), message);
    }
}
