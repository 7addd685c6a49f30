package chat.load.lab.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The document explains each column of samples.csv. */
class SeriesDocumentTest {
    @Test
    void everySeriesOfAMetricsEndpointIsInTheDocument() throws IOException {
        String document = Files.readString(Path.of("../docs/reference/load-samples.md"));
        assertThat(KnownMetrics.ALL).allSatisfy(series -> assertThat(document).contains("`" + series.metric() + "`"));
    }

    @Test
    void everySeriesOfMachineAndProcessesIsInTheDocument() throws IOException {
        String document = Files.readString(Path.of("../docs/reference/load-samples.md"));
        RecordedSink sink = new RecordedSink();
        ProcFiles proc = ProcFiles.ofThisMachine();
        if (!proc.exists()) return;
        new MachineProbe(proc, Path.of("/sys/block")).sample(sink);
        new GeneratorProbe().sample(sink);
        new ProcessProbe(proc, new ProcessFinder(proc, List.of(), null), System::nanoTime).sample(sink);
        assertThat(sink.gauges.keySet()).allSatisfy(name -> isIn(document, name));
        assertThat(sink.totals.keySet()).allSatisfy(name -> isIn(document, name));
    }

    private static void isIn(String document, String name) {
        String metric = name.substring(name.indexOf('.') + 1).replace("/", "");
        assertThat(document.contains("`" + metric + "`") || document.contains("." + metric + "`"))
                .as(metric)
                .isTrue();
    }
}
