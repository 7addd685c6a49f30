package chat.load.lab.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LoadClientCommandTest {
    @Test
    void anExecutableJarIsStartedAsOne() {
        assertThat(LoadClientCommand.of(
                        "/jdk/bin/java", List.of("-Xmx1g"), "/x/load-client.jar", "chat.load.LoadClient"))
                .containsExactly("/jdk/bin/java", "-Xmx1g", "-jar", "/x/load-client.jar");
    }

    @Test
    void aClassPathNeedsTheClass() {
        assertThat(LoadClientCommand.of("java", List.of(), "a:b.jar", "chat.load.LoadClient"))
                .containsExactly("java", "-cp", "a:b.jar", "chat.load.LoadClient");
        assertThat(LoadClientCommand.of("java", List.of(), "classes", "chat.load.LoadClient"))
                .containsExactly("java", "-cp", "classes", "chat.load.LoadClient");
    }

    @Test
    void aDebuggersPortIsNotInherited() {
        List<String> options = List.of("-agentlib:jdwp=transport=dt_socket,address=5005", "-javaagent:x.jar", "-ea");
        assertThat(LoadClientCommand.of("java", options, "a.jar", "x")).containsExactly("java", "-ea", "-jar", "a.jar");
    }
}
