package chat.launcher.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import chat.launcher.platform.Cluster;
import chat.nodes.HaproxyConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares docs/guide/chaos.md with the catalogue. */
class ChaosDocumentTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (K\\d+) \\| `([a-z-]+)`");

    @TempDir
    Path directory;

    /** The platform is not started: only injections need it. */
    private List<CatalogueEntry> catalogue(int brokers) {
        Cluster cluster = new Cluster(
                directory,
                new Cluster.Size(2, brokers, 2, true),
                Cluster.Ports.standard(null, 2),
                directory,
                null,
                null,
                HaproxyConfig.Placement.PARTITION,
                Map.of(),
                System.out);
        Target target = new Target(cluster, URI.create("http://127.0.0.1:8080"), 4, directory, directory);
        return new Catalogue(target, Timing.STANDARD, new Random(1)).entries();
    }

    @Test
    void everyFaultIsDocumented() throws IOException {
        String page = Files.readString(Path.of("../docs/guide/chaos.md"));
        Set<String> documented = ROW.matcher(page)
                .results()
                .map(row -> row.group(1) + " " + row.group(2))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> existing = Stream.concat(catalogue(1).stream(), catalogue(3).stream())
                .map(fault -> fault.id() + " " + fault.name())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(existing);
    }

    @Test
    void numbersAndNamesAreUnique() {
        for (int brokers : new int[] {1, 3}) {
            List<CatalogueEntry> catalogue = catalogue(brokers);
            assertThat(catalogue).extracting(CatalogueEntry::id).doesNotHaveDuplicates();
            assertThat(catalogue).extracting(CatalogueEntry::name).doesNotHaveDuplicates();
        }
    }
}
