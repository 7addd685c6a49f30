package chat.load.lab.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A directory that looks like {@code /proc}. */
final class ProcTree {
    private final Path root;

    ProcTree(Path root) {
        this.root = root;
    }

    ProcFiles files() {
        return new ProcFiles(root);
    }

    ProcTree write(String name, String content) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    ProcTree link(String name, String target) {
        try {
            Path link = root.resolve(name);
            Files.createDirectories(link.getParent());
            Files.createSymbolicLink(link, Path.of(target));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /** A process with the given CPU ticks. */
    ProcTree process(int pid, int parent, String command, long user, long system, long start) {
        return write(
                        pid + "/stat",
                        String.format(
                                Locale.ROOT,
                                "%d (%s) S %d 29004 25842 0 -1 4194304 114567 0 4 0 %d %d 0 0 20 0 3 0 %d 3777351680 92019 0\n",
                                pid,
                                command,
                                parent,
                                user,
                                system,
                                start))
                .write(pid + "/statm", "1000 500 200 1 0 300 0\n");
    }

    ProcTree socket(int pid, int descriptor, long inode) {
        return link(pid + "/fd/" + descriptor, "socket:[" + inode + "]");
    }
}
