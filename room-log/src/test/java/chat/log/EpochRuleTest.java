package chat.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EpochRuleTest {
    private static EntryHeader hello(long epoch, long previous) {
        return new EntryHeader(EntryKind.HELLO, epoch, previous, 1, 1, "a");
    }

    private static EntryHeader messages(long epoch) {
        return Samples.header(EntryKind.MESSAGES, epoch, 1, 1);
    }

    @Test
    void firstHelloStartsTheLog() {
        EpochRule rule = EpochRule.unknown();
        assertThat(rule.admits(0, hello(100, 0))).isTrue();
        assertThat(rule.admits(1, hello(90, 0))).isTrue();
        assertThat(rule.epoch()).isEqualTo(100);
    }

    @Test
    void entriesBeforeTheFirstHelloAreStale() {
        EpochRule rule = EpochRule.known(50);
        assertThat(rule.admits(0, messages(50))).isFalse();
        assertThat(rule.admits(1, messages(50))).isFalse();
        assertThat(rule.admits(2, hello(100, 50))).isTrue();
        assertThat(rule.epoch()).isEqualTo(100);
        assertThat(rule.admits(3, messages(50))).isFalse();
        assertThat(rule.admits(4, messages(100))).isTrue();
    }

    @Test
    void firstOfTwoHellosReplacesTheEpoch() {
        EpochRule rule = EpochRule.known(100);
        assertThat(rule.admits(61, hello(200, 100))).isTrue();
        assertThat(rule.admits(62, hello(300, 100))).isTrue();
        assertThat(rule.epoch()).isEqualTo(200);
        assertThat(rule.admits(63, hello(300, 200))).isTrue();
        assertThat(rule.epoch()).isEqualTo(300);
    }

    @Test
    void helloNeverLowersTheEpoch() {
        EpochRule rule = EpochRule.known(100);
        assertThat(rule.admits(61, hello(90, 100))).isTrue();
        assertThat(rule.epoch()).isEqualTo(100);
    }

    @Test
    void readerThatMissedTheHelloFollowsOtherEntries() {
        EpochRule rule = EpochRule.known(100);
        assertThat(rule.admits(70, messages(200))).isTrue();
        assertThat(rule.epoch()).isEqualTo(200);
        assertThat(rule.admits(71, messages(100))).isFalse();
    }

    @Test
    void readerWithoutEpochIgnoresAHelloInTheMiddle() {
        EpochRule rule = EpochRule.unknown();
        assertThat(rule.admits(5, hello(300, 0))).isFalse();
        assertThat(rule.epoch()).isZero();
        assertThat(rule.admits(6, messages(100))).isTrue();
        assertThat(rule.epoch()).isEqualTo(100);
    }

    @Test
    void tentativeEpochMayBeLowered() {
        EpochRule rule = EpochRule.tentative(200);
        assertThat(rule.admits(5, messages(100))).isTrue();
        assertThat(rule.epoch()).isEqualTo(100);
        assertThat(rule.admits(6, messages(90))).isFalse();
    }
}
