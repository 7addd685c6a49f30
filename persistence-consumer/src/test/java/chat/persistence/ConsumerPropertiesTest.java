package chat.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import chat.persistence.store.PostgresProperties;
import chat.persistence.store.StoreProperties;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ClassPathResource;

class ConsumerPropertiesTest {

    private static Binder binder(Map<String, Object> environment, boolean file) throws IOException {
        StandardEnvironment all = new StandardEnvironment();
        all.getPropertySources().addFirst(new MapPropertySource("test", environment));
        if (file)
            for (var source :
                    new YamlPropertySourceLoader().load("file", new ClassPathResource("persistence-consumer.yml")))
                all.getPropertySources().addLast(source);
        return Binder.get(all);
    }

    @Test
    void fileHasTheDefaults() throws IOException {
        Binder none = binder(Map.of(), false);
        Binder file = binder(Map.of(), true);
        assertThat(file.bind("chat.consumer", ConsumerProperties.class).get())
                .isEqualTo(none.bindOrCreate("chat.consumer", Bindable.of(ConsumerProperties.class)));
        PostgresProperties shown =
                file.bind("chat.postgres", PostgresProperties.class).get();
        PostgresProperties built = none.bindOrCreate("chat.postgres", Bindable.of(PostgresProperties.class));
        assertThat(shown).isEqualTo(built);
        assertThat(file.bind("chat.store", StoreProperties.class).get())
                .isEqualTo(none.bindOrCreate("chat.store", Bindable.of(StoreProperties.class)));
        assertThat(file.bind("chat.analytics", AnalyticsProperties.class).get())
                .isEqualTo(none.bindOrCreate("chat.analytics", Bindable.of(AnalyticsProperties.class)));
    }

    @Test
    void environmentVariablesOverrideSettings() throws IOException {
        Binder binder = binder(
                Map.of(
                        "CHAT_CONSUMER_BATCH_SIZE", "5",
                        "CHAT_CONSUMER_BATCH_AGE", "20ms",
                        "CHAT_POSTGRES_URL", "postgres://u:p@h/d",
                        "CHAT_POSTGRES_READ_URL", "jdbc:postgresql://r/d"),
                true);
        ConsumerProperties properties =
                binder.bind("chat.consumer", ConsumerProperties.class).get();
        assertThat(properties.ingest().batch().size()).isEqualTo(5);
        assertThat(properties.ingest().batch().age()).hasMillis(20);
        PostgresProperties postgres =
                binder.bind("chat.postgres", PostgresProperties.class).get();
        assertThat(postgres.url()).isEqualTo("postgres://u:p@h/d");
        assertThat(postgres.readUrl()).isEqualTo("jdbc:postgresql://r/d");
    }

    @Test
    void nonsenseStopsTheStart() throws IOException {
        for (Map<String, Object> wrong : List.<Map<String, Object>>of(
                Map.of("CHAT_CONSUMER_BATCH_SIZE", "0"),
                Map.of("CHAT_CONSUMER_BATCH_AGE", "soon"),
                Map.of("CHAT_CONSUMER_WRITERS", "0"))) {
            Binder binder = binder(wrong, true);
            assertThatThrownBy(() -> binder.bind("chat.consumer", ConsumerProperties.class))
                    .isInstanceOf(BindException.class);
        }
    }

    @Test
    void figuresThatCouldNeverBeOfThatAgeStopTheStart() throws IOException {
        for (Map<String, Object> wrong : List.<Map<String, Object>>of(
                Map.of("CHAT_ANALYTICS_FOLD", "10ms"),
                Map.of("CHAT_ANALYTICS_REFRESH", "2d"),
                Map.of("CHAT_ANALYTICS_CACHE_AGE", "-1s"))) {
            Binder binder = binder(wrong, true);
            assertThatThrownBy(() -> binder.bind("chat.analytics", AnalyticsProperties.class))
                    .isInstanceOf(BindException.class);
        }
    }
}
