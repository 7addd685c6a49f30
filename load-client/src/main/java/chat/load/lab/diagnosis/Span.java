package chat.load.lab.diagnosis;

/** The seconds {@code from} to {@code to}, the latter exclusive, as {@link chat.load.report.Samples} counts them. */
public record Span(int from, int to) {
    public Span {
        if (from < 0 || to < from) throw new IllegalArgumentException("a span goes forward from 0 on");
    }
}
