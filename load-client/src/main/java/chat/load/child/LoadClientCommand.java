package chat.load.child;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How this load client was started, to start it again as a child: same Java, same JVM options, same program. */
public final class LoadClientCommand {
    /** Of these there can be only one per machine or file: a port, an output file. */
    private static final List<String> NOT_INHERITED = List.of("-agentlib:jdwp", "-Xrunjdwp", "-javaagent");

    private LoadClientCommand() {}

    /** @param mainClass where this JVM was not started by {@code -jar} */
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
        // With -jar, the class path is that jar: an executable one, which brings its own loader.
        boolean jar = classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator);
        command.addAll(jar ? List.of("-jar", classPath) : List.of("-cp", classPath, mainClass));
        return List.copyOf(command);
    }
}
