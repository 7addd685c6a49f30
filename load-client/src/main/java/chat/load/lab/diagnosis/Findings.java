package chat.load.lab.diagnosis;

import chat.load.report.Finding;
import chat.load.report.Finding.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Collects findings. */
final class Findings {
    private final List<Finding> all = new ArrayList<>();

    void saturated(String resource, String text) {
        add(Level.SATURATED, resource, text);
    }

    void notice(String resource, String text) {
        add(Level.NOTICE, resource, text);
    }

    void info(String resource, String text) {
        add(Level.INFO, resource, text);
    }

    void add(Level level, String resource, String text) {
        all.add(new Finding(resource, text, level));
    }

    boolean nothingSaturated() {
        return all.stream().noneMatch(finding -> finding.level() == Level.SATURATED);
    }

    /** Most severe first; otherwise in order of addition. */
    List<Finding> sorted() {
        return all.stream().sorted(Comparator.comparing(Finding::level)).toList();
    }
}
