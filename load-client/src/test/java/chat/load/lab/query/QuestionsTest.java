package chat.load.lab.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class QuestionsTest {
    private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
    private static final Instant END = START.plus(Duration.ofHours(5));
    private static final Known KNOWN = new Known(
            List.of(new Known.Room("7", 100, 200, START, END), new Known.Room("one", 5, 5, START, START.plusMillis(1))),
            List.of("1", "42"),
            START,
            END);

    @Test
    void eachRoundAsksEveryQueryOnce() {
        Questions questions = new Questions(Catalogue.QUERIES, KNOWN, 3);
        int size = Catalogue.QUERIES.size();
        for (int round = 0; round < 20; round++)
            assertThat(LongStream.range((long) round * size, (round + 1L) * size)
                            .mapToObj(index -> questions.question(index).query()))
                    .containsExactlyInAnyOrderElementsOf(Catalogue.QUERIES);
        assertThat(LongStream.range(0, size)
                        .mapToObj(index -> questions.question(index).query())
                        .toList())
                .isNotEqualTo(LongStream.range(size, 2L * size)
                        .mapToObj(index -> questions.question(index).query())
                        .toList());
    }

    @Test
    void theSeedDecidesAndTheOrderOfAskingDoesNot() {
        Questions one = new Questions(Catalogue.QUERIES, KNOWN, 3);
        Questions other = new Questions(Catalogue.QUERIES, KNOWN, 3);
        Question late = one.question(777);
        assertThat(other.question(777)).isEqualTo(late);
        assertThat(LongStream.range(0, 100)
                        .mapToObj(new Questions(Catalogue.QUERIES, KNOWN, 4)::question)
                        .toList())
                .isNotEqualTo(LongStream.range(0, 100).mapToObj(one::question).toList());
    }

    @Test
    void onlyWhatExistsIsAskedFor() {
        Questions questions = new Questions(Catalogue.QUERIES, KNOWN, 1);
        for (long index = 0; index < 20_000; index++) {
            Question question = questions.question(index);
            assertThat(question.target()).doesNotContain("{");
            Instant from = question.from();
            if (from != null) {
                assertThat(from).isBefore(question.to()).isAfterOrEqualTo(START);
                assertThat(question.to()).isBeforeOrEqualTo(END);
                if (question.query().name().equals("per-second"))
                    assertThat(Duration.between(from, question.to())).isLessThanOrEqualTo(Duration.ofHours(1));
            }
            long first = "one".equals(question.roomId()) ? 5 : 100;
            long last = "one".equals(question.roomId()) ? 5 : 200;
            if (question.after() != null) assertThat(question.after()).isBetween(first - 1, last - 1);
            if (question.before() != null) assertThat(question.before()).isBetween(first + 1, last + 1);
        }
    }

    @Test
    void windowsOfEveryLengthAreAsked() {
        Questions questions = new Questions(Catalogue.named(List.of("Q3")), KNOWN, 1);
        List<Duration> lengths = LongStream.range(0, 1000)
                .mapToObj(questions::question)
                .map(question -> Duration.between(
                        Objects.requireNonNull(question.from()), Objects.requireNonNull(question.to())))
                .toList();
        assertThat(lengths).anyMatch(length -> length.compareTo(Duration.ofSeconds(5)) < 0);
        assertThat(lengths).anyMatch(length -> length.compareTo(Duration.ofHours(1)) > 0);
    }

    @Test
    void aQueryIsFoundByItsNameInAnyCase() {
        assertThat(Catalogue.named(List.of("q1-AFTER", "Q4", "q4")))
                .extracting(Query::name)
                .containsExactly("Q1-after", "Q4");
        assertThatThrownBy(() -> Catalogue.named(List.of("Q9")))
                .hasMessageContaining("there is no query Q9, only Q1, ");
    }
}
