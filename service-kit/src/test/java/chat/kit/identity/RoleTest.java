package chat.kit.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoleTest {
    @Test
    void highestKnownRoleApplies() {
        assertThat(Role.highest(List.of())).isEqualTo(Role.MEMBER);
        assertThat(Role.highest(List.of("admin", "root", "operators"))).isEqualTo(Role.MEMBER);
        assertThat(Role.highest(List.of("operator", "analyst"))).isEqualTo(Role.OPERATOR);
        assertThat(Role.highest(List.of("Analyst"))).isEqualTo(Role.ANALYST);
    }

    @Test
    void eachRoleIncludesTheLowerOnes() {
        assertThat(Role.OPERATOR.mayAct(Role.ANALYST)).isTrue();
        assertThat(Role.ANALYST.mayAct(Role.ANALYST)).isTrue();
        assertThat(Role.MEMBER.mayAct(Role.ANALYST)).isFalse();
    }
}
