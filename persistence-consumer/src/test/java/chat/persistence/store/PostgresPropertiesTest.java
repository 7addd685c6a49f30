package chat.persistence.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.store.PostgresProperties.Address;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresPropertiesTest {

    private static PostgresProperties properties(String url, String user, String password, String readUrl) {
        return new PostgresProperties(
                url,
                user,
                password,
                readUrl,
                "",
                "",
                Duration.ofSeconds(3),
                Duration.ofSeconds(10),
                new PostgresProperties.Reading(10, Duration.ofSeconds(5)),
                new PostgresProperties.Aggregating(Duration.ofMinutes(5)));
    }

    @Test
    void takesAJdbcUrlAsItIs() {
        assertThat(properties("jdbc:postgresql://db:5433/chat?sslmode=require", "", "", "")
                        .writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://db:5433/chat?sslmode=require", "confab", null));
    }

    @Test
    void takesAUrlWithUserAndPassword() {
        assertThat(properties("postgres://al:p%40ss:w@db/chat?sslmode=require", "", "", "")
                        .writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://db/chat?sslmode=require", "al", "p@ss:w"));
        assertThat(properties("postgresql://[::1]:5433/chat", "bob", "secret", "")
                        .writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://[::1]:5433/chat", "bob", "secret"));
    }

    @Test
    void takesUserAndPasswordOutOfAJdbcUrl() {
        String url = "jdbc:postgresql://db/chat?ssl=false&user=al&password=p%40ss";
        assertThat(properties(url, "", "", "").writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://db/chat?ssl=false", "al", "p@ss"));
        assertThat(properties("postgres://db/chat?user=al&password=p%40ss", "", "", "")
                        .writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://db/chat", "al", "p@ss"));
    }

    /** The driver prefers the URL's parameters over those of the pool. */
    @Test
    void explicitSettingsOverrideTheUrl() {
        PostgresProperties properties =
                properties("jdbc:postgresql://db/chat?user=al&password=x&ssl=false", "bob", "y", "");
        assertThat(properties.writingAddress())
                .isEqualTo(new Address("jdbc:postgresql://db/chat?ssl=false", "bob", "y"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgres://db/chat?user=postgres&password=postgres",
                "jdbc:postgresql://db/chat?password=postgres&user=postgres"
            })
    void defaultPasswordIsFoundInUrlParameters(String url) {
        assertThat(properties(url, "", "", "").hasKnownPassword()).isTrue();
    }

    @Test
    void queriesGoToTheReplicaIfThereIsOne() {
        PostgresProperties both = properties("jdbc:postgresql://a/chat", "", "", "postgres://r:s@b/chat");
        assertThat(both.readingAddress()).isEqualTo(new Address("jdbc:postgresql://b/chat", "r", "s"));
        assertThat(properties("jdbc:postgresql://a/chat", "", "", "").readingAddress())
                .isEqualTo(new Address("jdbc:postgresql://a/chat", "confab", null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "db",
                "jdbc:postgresql://",
                "jdbc:mysql://db/chat",
                "http://db/chat",
                "postgres://db",
                "postgres://db/",
                "postgres:///chat",
                "postgres://al:hunter2@db/ch at",
                "jdbc:postgresql://db/chat?password=hunter2%"
            })
    void invalidUrlIsRejectedWithoutEchoingIt(String url) {
        assertThatThrownBy(() -> properties(url, "", "", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("CHAT_POSTGRES_URL must be jdbc:postgresql://")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void neverShowsAPassword() {
        assertThat(properties("postgres://al:hunter2@db/chat", "", "hunter3", "jdbc:postgresql://a/b?password=hunter4")
                        .toString())
                .doesNotContain("hunter");
    }

    @Test
    void queriesHaveTheirOwnRoleWhereOneIsGiven() {
        PostgresProperties properties = new PostgresProperties(
                "postgres://writer:w@h/d",
                "",
                "",
                "postgres://replica:x@r/d",
                "reader",
                "s",
                Duration.ofSeconds(3),
                Duration.ofSeconds(10),
                new PostgresProperties.Reading(10, Duration.ofSeconds(5)),
                new PostgresProperties.Aggregating(Duration.ofMinutes(5)));
        assertThat(properties.readingAddress())
                .isEqualTo(new PostgresProperties.Address("jdbc:postgresql://r/d", "reader", "s"));
        assertThat(properties.writingAddress().user()).isEqualTo("writer");
    }
}
