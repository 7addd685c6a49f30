package chat.load.lab.child;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Reproduces how this load client was started, to start it again as a child: same Java, same JVM options, same
 * program.
 */
public final class LoadClientCommand {
    /** Options that use a resource which only one process can have, such as a port or an output file. */
    private static final List<String> NOT_INHERITED = List.of("-agentlib:jdwp", "-Xrunjdwp", "-javaagent");

    private LoadClientCommand() {}

    /** @param mainClass used if this JVM was not started with {@code -jar} */
    public static List<String> own(Class<?> mainClass) {
        return of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                System.getProperty("java.class.path"),
                mainClass.getName());
    }

    static List<String> of(String java, List<String> jvmOptions, String classPath, String mainClass) {
        List<String> command = new ArrayList<>();
        command.add(java);
        jvmOptions.stream()
                .filter(option -> NOT_INHERITED.stream().noneMatch(option::startsWith))
                .forEach(command::add);
        // With -jar, the class path is only that executable jar.
        boolean jar = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
        command.addAll(jar ? List.of("-jar", classPath) : List.of("-cp", classPath, mainClass));
        return List.copyOf(command);
    }
}
