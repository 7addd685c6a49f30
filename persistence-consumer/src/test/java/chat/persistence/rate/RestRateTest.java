package chat.persistence.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.bucket4j.TimeMeter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Over real connections, by a clock that is stepped. */
class RestRateTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger asked = new AtomicInteger();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private DisposableServer server = serve(settings(0, List.of(), List.of()));

    @AfterEach
    void stop() {
        server.disposeNow();
    }

    private static RestRateSettings settings(double perSecond, List<String> exempt, List<String> trustedProxies) {
        return new RestRateSettings(perSecond, 3, exempt, trustedProxies);
    }

    private void restart(RestRateSettings settings) {
        server.disposeNow();
        server = serve(settings);
    }

    private DisposableServer serve(RestRateSettings settings) {
        TimeMeter meter = new TimeMeter() {
            @Override
            public long currentTimeNanos() {
                return nanos.get();
            }

            @Override
            public boolean isWallClockBased() {
                return false;
            }
        };
        RouterFunction<ServerResponse> routes = RouterFunctions.route()
                .GET("/api/anything", request -> {
                    asked.incrementAndGet();
                    return ServerResponse.ok().bodyValue("figures");
                })
                .build()
                .filter(new RestRate(settings, meter, registry));
        return HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(routes)))
                .bindNow();
    }

    private HttpResponse<String> ask(String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/api/anything"));
        if (headers.length > 0) request.headers(headers);
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private int answered(int times, String... headers) throws Exception {
        int answered = 0;
        for (int i = 0; i < times; i++) if (ask(headers).statusCode() == 200) answered++;
        return answered;
    }

    @Test
    void defaultHasNoRateLimit() throws Exception {
        assertThat(answered(50)).isEqualTo(50);
    }

    @Test
    void excessRequestsReceiveRetryAfter() throws Exception {
        restart(settings(0.1, List.of(), List.of()));
        assertThat(answered(10)).isEqualTo(3);
        HttpResponse<String> refused = ask();
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).hasValue("10");
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = JsonMapper.shared().readTree(refused.body());
        assertThat(problem.get("status").asInt()).isEqualTo(429);
        assertThat(asked).hasValue(3);
        nanos.addAndGet(10_000_000_000L);
        assertThat(answered(5)).isEqualTo(1);
        assertThat(registry.get("persistence.rest.rate")
                        .tag("outcome", "refused")
                        .functionCounter()
                        .count())
                .isEqualTo(12);
    }

    @Test
    void chatServersAreExempt() throws Exception {
        restart(settings(0.1, List.of("127.0.0.0/8"), List.of()));
        assertThat(answered(50)).isEqualTo(50);
    }

    @Test
    void clientsBehindATrustedProxyHaveSeparateRates() throws Exception {
        restart(settings(0.1, List.of("10.0.0.1"), List.of("127.0.0.1")));
        assertThat(answered(5, "X-Forwarded-For", "192.0.2.1")).isEqualTo(3);
        assertThat(answered(5, "X-Forwarded-For", "192.0.2.2")).isEqualTo(3);
        assertThat(answered(5, "X-Forwarded-For", "10.0.0.1, 192.0.2.3")).isEqualTo(3);
        int rotating = 0;
        for (int i = 0; i < 20; i++) rotating += answered(1, "X-Forwarded-For", "203.0.113." + i + ", 192.0.2.4");
        assertThat(rotating).isEqualTo(3);
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatThrownBy(() -> settings(-1, List.of(), List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> settings(1, List.of("chat-server"), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
