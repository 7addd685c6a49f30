package chat.persistence.analytics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The description says what there is, no more and no less. */
class OpenApiTest {
    private final JsonNode document = document();
    private final List<Endpoint<?>> endpoints = endpoints();

    static JsonNode document() {
        try (InputStream file = OpenApiTest.class.getResourceAsStream("/api-docs/openapi.json")) {
            return JsonMapper.shared().readTree(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Endpoint<?>> endpoints() {
        DataSource nowhere = new PGSimpleDataSource();
        return new Endpoints(
                        new Snapshots(nowhere), 4, () -> new Metrics.Caching.Figures(0, 0, 1, 0, 0), Clock.systemUTC())
                .all();
    }

    @Test
    void everyEndpointIsDescribedAndNothingElse() {
        assertThat(document.path("paths").propertyNames())
                .containsExactlyInAnyOrderElementsOf(
                        endpoints.stream().map(Endpoint::path).toList());
        assertThat(document.path("openapi").stringValue()).startsWith("3.1");
    }

    @Test
    void everyParameterIsDescribedAndNothingElse() {
        for (Endpoint<?> endpoint : endpoints) {
            RequestParams words = new RequestParams(Map.of(), Map.of());
            Object unused = endpoint.read().apply(words);
            assertThat(parameters(endpoint, "query"))
                    .as(endpoint.path())
                    .containsExactlyInAnyOrderElementsOf(words.names());
            assertThat(parameters(endpoint, "path"))
                    .as(endpoint.path())
                    .allMatch(name -> endpoint.path().contains("{" + name + "}"))
                    .hasSize((int) endpoint.path().chars().filter(c -> c == '{').count());
        }
    }

    private Stream<String> parameters(Endpoint<?> endpoint, String in) {
        return document.path("paths")
                .path(endpoint.path())
                .path("get")
                .path("parameters")
                .valueStream()
                .filter(parameter -> parameter.path("in").stringValue().equals(in))
                .map(parameter -> parameter.path("name").stringValue());
    }

    @Test
    void limitsAreThoseThatAreChecked() {
        for (Endpoint<?> endpoint : endpoints) {
            for (JsonNode parameter :
                    document.path("paths").path(endpoint.path()).path("get").path("parameters")) {
                if (!parameter.path("name").stringValue().equals("limit")) continue;
                int max = parameter.path("schema").path("maximum").intValue();
                assertThat(errors(endpoint, "limit", max)).isEmpty();
                assertThat(errors(endpoint, "limit", max + 1)).hasSize(1);
            }
        }
    }

    private static List<String> errors(Endpoint<?> endpoint, String name, int value) {
        RequestParams words = new RequestParams(
                Map.of("roomId", "7", "userId", "42"), Map.of(name, List.of(Integer.toString(value))));
        Object unused = endpoint.read().apply(words);
        return words.errors();
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        assertThat(document.findValues("$ref"))
                .allSatisfy(reference -> assertThat(
                                document.at(reference.stringValue().substring(1))
                                        .isMissingNode())
                        .as(reference.stringValue())
                        .isFalse());
    }
}
