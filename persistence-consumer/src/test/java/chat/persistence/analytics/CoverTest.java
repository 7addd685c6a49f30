package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.rollup.Span;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CoverTest {
    private static long at(String time) {
        return Instant.parse(time).toEpochMilli();
    }

    private static List<Range> pieces(Cover cover) {
        List<Range> pieces = new ArrayList<>();
        cover.whole().forEach(run -> pieces.add(new Range(run.from(), run.to())));
        cover.parts().forEach(part -> pieces.add(part.range()));
        pieces.sort(Comparator.comparingLong(Range::from));
        return pieces;
    }

    @Test
    void longestFittingSpansAreUsed() {
        Cover cover = Cover.of(new Range(at("2026-11-18T22:58:30.250Z"), at("2026-11-20T01:10:00Z")));
        assertThat(cover.parts())
                .containsExactly(new Cover.Part(
                        at("2026-11-18T22:58:00Z"),
                        new Range(at("2026-11-18T22:58:30.250Z"), at("2026-11-18T22:59:00Z"))));
        assertThat(cover.whole().stream().map(Cover.Run::span))
                .containsExactly(Span.MINUTE, Span.HOUR, Span.DAY, Span.HOUR, Span.TEN_MINUTES);
    }

    @Test
    void rangeWithinAMinuteIsAPartOfIt() {
        Range range = new Range(at("2026-11-18T22:58:30.250Z"), at("2026-11-18T22:58:31Z"));
        assertThat(Cover.of(range))
                .isEqualTo(new Cover(List.of(), List.of(new Cover.Part(at("2026-11-18T22:58:00Z"), range))));
        assertThat(pieces(Cover.of(new Range(range.from(), range.from())))).isEmpty();
    }

    @Test
    void everyRangeIsCoveredOnceAndByFewSpans() {
        Random random = new Random(1);
        for (int round = 0; round < 5_000; round++) {
            long from = random.nextLong(at("2026-01-01T00:00:00Z"), at("2027-01-01T00:00:00Z"));
            Range range = new Range(from, from + (long) Math.exp(random.nextDouble() * 24.1));
            Cover cover = Cover.of(range);
            long next = range.from();
            for (Range piece : pieces(cover)) {
                assertThat(piece.from()).isEqualTo(next);
                next = piece.to();
            }
            assertThat(next).isEqualTo(range.to());
            assertThat(cover.parts()).hasSizeLessThan(3);
            for (Cover.Run run : cover.whole()) {
                long most = switch (run.span()) {
                    case MINUTE -> 18;
                    case TEN_MINUTES -> 10;
                    case HOUR -> 46;
                    case DAY -> 366;
                };
                assertThat((run.to() - run.from()) / run.span().millis()).isBetween(1L, most);
            }
        }
    }
}
