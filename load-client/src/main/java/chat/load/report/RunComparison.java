package chat.load.report;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes finished runs side by side into one offline HTML file. */
public final class RunComparison {
    /** More lines in one chart are unreadable, and all data is held in memory. */
    private static final int MOST_RUNS = 200;

    private static final int DEPTH = 8;

    private RunComparison() {}

    /**
     * @param given run folders, or folders with run folders below, which are ordered by name
     * @param to the folder of {@code comparison.html}, created if necessary
     * @return that file
     */
    public static Path write(List<Path> given, Path to) throws UnreadableRun, IOException {
        Set<Path> folders = new LinkedHashSet<>();
        for (Path folder : given) folders.addAll(runsIn(folder));
        if (folders.size() < 2)
            throw new UnreadableRun(
                    "there is only one run to compare: " + folders.iterator().next());
        if (folders.size() > MOST_RUNS)
            throw new UnreadableRun(folders.size() + " runs are too many to compare, at most " + MOST_RUNS);
        List<FinishedRun> runs = new ArrayList<>(folders.size());
        for (Map.Entry<Path, String> folder : names(folders).entrySet())
            runs.add(FinishedRun.read(folder.getKey(), folder.getValue()));
        Path file = Files.createDirectories(to).resolve("comparison.html");
        Files.writeString(file, ComparisonPage.html(runs));
        return file;
    }

    private static List<Path> runsIn(Path folder) throws UnreadableRun, IOException {
        if (!Files.isDirectory(folder)) throw new UnreadableRun(folder + " is not a folder");
        List<Path> runs = new ArrayList<>();
        Files.walkFileTree(folder.toAbsolutePath().normalize(), Set.of(), DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                if (!Files.exists(directory.resolve(RunFolder.SUMMARY))) return FileVisitResult.CONTINUE;
                runs.add(directory);
                // Below it are only the run's warm-ups and its platform's data.
                return FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException unreadable) {
                return FileVisitResult.CONTINUE;
            }
        });
        if (runs.isEmpty())
            throw new UnreadableRun(folder + " holds no run: there is no " + RunFolder.SUMMARY + " in it or below");
        runs.sort((one, other) -> NaturalOrder.compare(one.toString(), other.toString()));
        return runs;
    }

    /** Their paths without the common prefix. */
    private static Map<Path, String> names(Set<Path> folders) {
        Path common = null;
        for (Path folder : folders) {
            Path parent = folder.getParent() == null ? folder : folder.getParent();
            while (common != null && !parent.startsWith(common)) common = common.getParent();
            if (common == null) common = parent;
        }
        Map<Path, String> names = new LinkedHashMap<>();
        for (Path folder : folders) {
            Path name = common == null ? folder : common.relativize(folder);
            names.put(folder, name.toString().replace('\\', '/'));
        }
        return names;
    }
}
