package chat.bench.asking;

import chat.persistence.access.Callers;
import chat.persistence.analytics.QueryRoutes;
import chat.persistence.analytics.QueryRoutes.CacheSettings;
import chat.persistence.analytics.QueryThreads;
import chat.persistence.analytics.Snapshots;
import chat.persistence.store.Pools;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.web.reactive.function.server.RouterFunctions;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Runs the consumer's REST on a free port, without a cache, and sends requests to it. */
final class Rest implements AutoCloseable {
    private final QueryThreads threads = QueryThreads.of(10);
    private final HttpClient client = HttpClient.newHttpClient();
    private final DisposableServer server;

    Rest(Pools pools) {
        QueryRoutes routes = new QueryRoutes(
                new Snapshots(pools.reading()),
                1,
                new CacheSettings(Duration.ZERO),
                threads,
                new Callers(true),
                () -> true,
                new SimpleMeterRegistry(),
                Clock.systemUTC());
        server = HttpServer.create()
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(RouterFunctions.toHttpHandler(routes.routes())))
                .bindNow();
    }

    /** @return size of the response in bytes */
    int ask(String path) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200)
            throw new IOException(path + ": " + new String(answer.body(), StandardCharsets.UTF_8));
        return answer.body().length;
    }

    @Override
    public void close() {
        server.disposeNow();
        threads.close();
        client.close();
    }
}
