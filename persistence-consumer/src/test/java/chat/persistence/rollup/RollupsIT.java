package chat.persistence.rollup;

import static org.assertj.core.api.Assertions.assertThat;

import chat.persistence.Database;
import chat.persistence.batch.BatchStore.Outcome;
import chat.persistence.batch.MessageRow;
import chat.persistence.rollup.Stored.Users;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RollupsIT {
    private Stored stored;

    @BeforeEach
    void begin() throws Exception {
        Database.empty();
        stored = new Stored();
    }

    @AfterEach
    void end() {
        stored.close();
    }

    private void assertEqual() throws Exception {
        CheckReport report = stored.rollups.check();
        assertThat(report.views())
                .allSatisfy(view -> assertThat(view.examples()).isEmpty());
        assertThat(report.equal()).isTrue();
        assertThat(report.messages()).isEqualTo(Database.number("SELECT count(*) FROM messages"));
    }

    @ParameterizedTest
    @EnumSource
    void viewsEqualThePlainGroupByRowByRow(Users users) throws Exception {
        stored.storeMessages(6_000, users, 1);
        assertThat(stored.rollups.fold()).isEqualTo(6_000);
        stored.storeMessages(4_000, users, 2);
        assertThat(stored.rollups.fold()).isEqualTo(4_000);
        assertEqual();
        assertThat(Database.number("SELECT count(*) FROM user_stats")).isGreaterThan(300);
        assertThat(Database.number("SELECT count(*) FROM hourly_stats")).isGreaterThan(70);
    }

    @Test
    void everySpanCountsMessagesUsersAndRooms() throws Exception {
        stored.storeMessages(5_000, Users.ZIPF, 3);
        int unused = stored.rollups.fold();
        for (Span span : Span.values())
            assertThat(Database.column(String.format(Locale.ROOT, """
                            (SELECT start, messages, users, rooms FROM activity WHERE span = %1$d
                             EXCEPT ALL
                             SELECT date_bin(interval '%1$d seconds', timestamp, timestamptz 'epoch') AS start, count(*),
                                    count(DISTINCT usr), count(DISTINCT room) FROM messages GROUP BY start)
                            """, span.seconds())))
                    .isEmpty();
        assertThat(Database.column("""
                        SELECT start + (number - 1) * interval '1 second', s.messages
                        FROM activity, unnest(seconds) WITH ORDINALITY AS s(messages, number) WHERE s.messages > 0
                        EXCEPT ALL
                        SELECT date_trunc('second', timestamp), count(*) FROM messages GROUP BY 1""")).isEmpty();
        assertThat(Database.number("SELECT sum(messages) FROM activity WHERE span = 60"))
                .isEqualTo(5_000);
    }

    @Test
    void storedRowsAreNotCountedAgain() throws Exception {
        MessageRow row = stored.row("7", 42, 1_000);
        assertThat(stored.store(List.of(row, row))).isEqualTo(new Outcome.Stored(1, 1, 0));
        assertThat(stored.store(List.of(row))).isEqualTo(new Outcome.Stored(0, 1, 0));
        assertThat(stored.rollups.fold()).isEqualTo(1);
        assertEqual();
    }

    @Test
    void uncommittedFoldIsRepeated() throws Exception {
        stored.storeMessages(1_000, Users.UNIFORM, 4);
        try (Connection connection = stored.pools.aggregating().getConnection()) {
            assertThat(Fold.tryLock(connection)).isTrue();
            assertThat(Fold.run(connection)).isEqualTo(new Fold.Outcome(1_000, false));
            connection.rollback();
        }
        assertThat(stored.rollups.fold()).isEqualTo(1_000);
        assertEqual();
    }

    @Test
    void onlyOneFoldsAtATime() throws Exception {
        stored.storeMessages(100, Users.UNIFORM, 5);
        try (Connection other = stored.pools.aggregating().getConnection()) {
            assertThat(Fold.tryLock(other)).isTrue();
            assertThat(stored.rollups.fold()).isZero();
            other.rollback();
        }
        assertThat(stored.rollups.fold()).isEqualTo(100);
    }

    @Test
    void messagesThatAreStoredDuringACheckAreNoDifference() throws Exception {
        stored.storeMessages(1_000, Users.UNIFORM, 6);
        AtomicInteger batches = new AtomicInteger();
        AtomicBoolean end = new AtomicBoolean();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> writing = threads.submit(() -> {
                while (!end.get()) {
                    stored.storeMessages(50, Users.UNIFORM, 7);
                    batches.incrementAndGet();
                }
                return null;
            });
            try {
                for (int i = 0; i < 5 || (batches.get() < 10 && !writing.isDone()); i++)
                    assertThat(stored.rollups.check().views())
                            .allSatisfy(view -> assertThat(view.examples()).isEmpty());
            } finally {
                end.set(true);
            }
            writing.get();
        }
    }

    @Test
    void checkListsDifferences() throws Exception {
        stored.storeMessages(100, Users.UNIFORM, 8);
        int unused = stored.rollups.fold();
        Database.execute("UPDATE room_total SET messages = messages + 1 WHERE room = (SELECT min(room) FROM rooms)");
        CheckReport report = stored.rollups.check();
        assertThat(report.equal()).isFalse();
        assertThat(report.views())
                .filteredOn(view -> view.differences() > 0)
                .singleElement()
                .satisfies(view -> {
                    assertThat(view.view()).isEqualTo("room_stats");
                    assertThat(view.differences()).isEqualTo(2);
                    assertThat(view.examples()).anyMatch(example -> example.startsWith("only in the view: (room-"));
                });
    }

    @Test
    void checkNotesThatRemovedRowsStayCounted() throws Exception {
        stored.storeMessages(100, Users.UNIFORM, 8);
        CheckReport before = stored.rollups.check();
        assertThat(before.stored()).isEqualTo(100);
        assertThat(before.note()).isNull();
        Database.execute("DELETE FROM messages WHERE position < 10");
        CheckReport report = stored.rollups.check();
        assertThat(report.equal()).isFalse();
        assertThat(report.messages()).isEqualTo(100);
        assertThat(report.stored()).isEqualTo(90);
        assertThat(report.note()).startsWith("10 messages were counted and are not stored any more");
    }

    @Test
    void everythingCanBeCountedAnew() throws Exception {
        stored.storeMessages(3_000, Users.ZIPF, 9);
        int unused = stored.rollups.fold();
        Database.execute("UPDATE user_total SET messages = messages + 1; DELETE FROM activity WHERE span = 60");
        assertThat(Database.number("SELECT rollup_rebuild()")).isEqualTo(3_000);
        assertThat(stored.rollups.fold()).isEqualTo(3_000);
        assertEqual();
        assertThat(Database.number("SELECT sum(messages) FROM activity WHERE span = 60"))
                .isEqualTo(3_000);
    }

    @Test
    void longBacklogIsFoldedInParts() throws Exception {
        stored.storeMessages(1_500, Users.UNIFORM, 10);
        Database.execute("UPDATE rollup_pending SET messages = " + (Fold.MAX_MESSAGES - 1));
        long batches = Database.number("SELECT count(*) FROM rollup_pending");
        assertThat(stored.rollups.fold()).isEqualTo(1_500);
        assertThat(Database.number("SELECT folds FROM rollup_state")).isEqualTo(batches);
        assertEqual();
    }

    @Test
    void viewIsRefreshedOnlyAfterCounting() throws Exception {
        stored.storeMessages(100, Users.UNIFORM, 11);
        int unused = stored.rollups.fold();
        stored.rollups.refresh(Duration.ZERO);
        assertThat(Database.number("SELECT sum(message_count) FROM user_stats")).isEqualTo(100);
        String first = Database.column("SELECT as_of FROM view_refresh WHERE view_name = 'user_stats'")
                .getFirst();
        assertThat(stored.rollups.fold()).isZero();
        stored.rollups.refresh(Duration.ZERO);
        assertThat(Database.column("SELECT as_of FROM view_refresh WHERE view_name = 'user_stats'"))
                .doesNotContain(first);
        try (Connection connection = stored.pools.aggregating().getConnection()) {
            assertThat(StatsViews.refresh(connection, "user_stats", Duration.ZERO))
                    .isEqualTo(StatsViews.Outcome.UNCHANGED);
            connection.rollback();
        }
        assertThat(Database.number("SELECT sum(users) FROM participation_stats WHERE measure = 'messages'"))
                .isEqualTo(Database.number("SELECT count(*) FROM user_stats"));
    }

    @Test
    void recentlyRefreshedViewIsSkipped() throws Exception {
        stored.storeMessages(10, Users.UNIFORM, 12);
        int unused = stored.rollups.fold();
        stored.rollups.refresh(Duration.ZERO);
        stored.storeMessages(10, Users.UNIFORM, 13);
        int unusedToo = stored.rollups.fold();
        stored.rollups.refresh(Duration.ofMinutes(10));
        assertThat(Database.number("SELECT sum(message_count) FROM user_stats")).isEqualTo(10);
    }

    @Test
    void howFarTimesAreInDisorderIsRemembered() throws Exception {
        Outcome unused = stored.store(List.of(
                stored.row("7", 1, 10_000),
                stored.row("7", 1, 4_000),
                stored.row("8", 1, 1_000),
                stored.row("8", 1, 2_000)));
        int unusedFold = stored.rollups.fold();
        assertThat(Database.column("SELECT disorder_ms FROM room_total ORDER BY room"))
                .containsExactly("6000", "0");
        Outcome unusedToo = stored.store(List.of(stored.row("8", 1, 500)));
        int unusedFoldToo = stored.rollups.fold();
        assertThat(Database.column("SELECT disorder_ms FROM room_total ORDER BY room"))
                .containsExactly("6000", "1500");
    }

    private String disorder() throws Exception {
        int unused = stored.rollups.fold();
        return String.join(" ", Database.column("SELECT disorder_ms FROM room_total ORDER BY room"));
    }

    @Test
    void rowsStoredDaysLateAreUnorderedOnlyAmongThemselves() throws Exception {
        long day = Duration.ofDays(1).toMillis();
        List<MessageRow> days = new ArrayList<>();
        for (int i = 0; i < 8; i++) days.add(stored.row("7", 1, i * day));
        MessageRow between = days.remove(2);
        MessageRow early = stored.row("7", 1, 5 * day);
        days.add(stored.row("7", 1, 8 * day));
        Outcome unused = stored.store(days);
        assertThat(disorder()).isEqualTo("0");
        assertThat(stored.storeLate(List.of(between, stored.row("8", 1, 0)))).isEqualTo(new Outcome.Stored(2, 0, 0));
        assertThat(disorder()).isEqualTo("0 0");
        Outcome unusedToo = stored.storeLate(List.of(early));
        assertThat(disorder()).as("two days behind the seventh").isEqualTo(2 * day + " 0");
        Outcome unusedNext = stored.store(List.of(stored.row("7", 1, 5 * day)));
        assertThat(disorder()).as("what follows is compared with the latest").isEqualTo(3 * day + " 0");
        assertEqual();
    }

    @Test
    void rowStoredLateMayPrecedeItsSuccessors() throws Exception {
        List<MessageRow> rows = new ArrayList<>();
        for (int i = 0; i < 100; i++) rows.add(stored.row("7", 1, i * 10_000L));
        MessageRow ahead = stored.row("7", 1, 1_500_000);
        for (int i = 100; i < 120; i++) rows.add(stored.row("7", 1, i * 10_000L));
        Outcome unused = stored.store(rows);
        Outcome unusedToo = stored.storeLate(List.of(ahead));
        assertThat(disorder()).isEqualTo("500000");
        assertEqual();
    }
}
