package chat.launcher;

import chat.kit.identity.Claims;
import chat.launcher.platform.Platform;
import chat.launcher.platform.StartFailure;
import chat.protocol.DisplayName;
import chat.protocol.Member;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Runs {@code ./token}: prints a token for a platform started with {@code ./run --tokens}. */
@Command(
        name = "token",
        mixinStandardHelpOptions = true,
        description = "Prints a token for a platform started with ./run --tokens.")
final class TokenCommand implements Callable<Integer> {
    @Option(names = "--user", required = true, description = "user id: " + Member.USER_ID_RULE)
    String user = "";

    @Option(
            names = "--name",
            description = "display name: " + DisplayName.RULE + " (default: the username, or the user id)")
    @Nullable
    String name;

    @Option(
            names = "--username",
            description = "username: " + Member.USERNAME_RULE
                    + " (default: --name if it is valid, else derived from the user id)")
    @Nullable
    String username;

    @Option(
            names = "--rooms",
            split = ",",
            description = "rooms to read and write, such as 'lobby,team-*' (default: ${DEFAULT-VALUE})")
    List<String> rooms = List.of("*");

    @Option(names = "--read", split = ",", description = "further rooms, read-only")
    List<String> read = new ArrayList<>();

    @Option(names = "--roles", split = ",", description = "roles for REST: analyst, operator (default: member)")
    List<String> roles = new ArrayList<>();

    @Option(names = "--ttl", description = "validity: 30s, 10m, 1h, 7d (default: ${DEFAULT-VALUE})")
    String ttl = "1h";

    @Option(names = "--dir", description = "the --dir of ./run (default: ${DEFAULT-VALUE})")
    Path directory = Platform.DIRECTORY;

    @CommandLine.Spec
    CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public Integer call() {
        if (!Member.isUserId(user)) throw wrong("--user must be " + Member.USER_ID_RULE);
        String fault = name == null ? null : DisplayName.faultOf(name);
        if (fault != null) throw wrong("--name " + fault);
        if (username != null && !Member.isUsername(username)) throw wrong("--username must be " + Member.USERNAME_RULE);
        String handle = username == null && name != null && Member.isUsername(name) ? name : username;
        Claims claims = Claims.local(user, name, handle, read, rooms, roles);
        try {
            System.out.println(new LocalIdentity(directory.toAbsolutePath().normalize()).token(claims, lifetime()));
            return 0;
        } catch (StartFailure failure) {
            System.err.println(failure.getMessage());
            return 1;
        }
    }

    private Duration lifetime() {
        if (!ttl.matches("[1-9][0-9]{0,5}[smhd]")) throw wrong("--ttl must be like 30s, 10m, 1h or 7d, not " + ttl);
        long number = Long.parseLong(ttl.substring(0, ttl.length() - 1));
        return switch (ttl.charAt(ttl.length() - 1)) {
            case 's' -> Duration.ofSeconds(number);
            case 'm' -> Duration.ofMinutes(number);
            case 'h' -> Duration.ofHours(number);
            default -> Duration.ofDays(number);
        };
    }

    private ParameterException wrong(String message) {
        return Usage.wrong(spec, message);
    }
}
