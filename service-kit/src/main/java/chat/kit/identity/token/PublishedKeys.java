package chat.kit.identity.token;

import chat.kit.identity.token.TokenRejected.Reason;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Fetches the keys that the issuer publishes. Fetches them again when they are old, and when a token names an unknown
 * key; the latter at a limited rate, so that forged key ids cannot flood the issuer. Uses the last keys while the
 * issuer is unavailable. Thread-safe.
 */
final class PublishedKeys {
    private static final Logger logger = LoggerFactory.getLogger(PublishedKeys.class);
    private static final Duration OLD = Duration.ofMinutes(5);
    private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long MAX_BYTES = 256 * 1024;

    private final Source source;
    private final LongSupplier nanoClock;

    private @Nullable JWKSet held;
    private @Nullable Mono<JWKSet> underWay;
    private boolean tried;
    private long lastTry;
    private long lastHad;
    private final LongAdder failures = new LongAdder();

    /** Fetches the keys; blocks. */
    @FunctionalInterface
    interface Source {
        String read() throws IOException, InterruptedException;
    }

    PublishedKeys(Source source, LongSupplier nanoClock) {
        this.source = source;
        this.nanoClock = nanoClock;
    }

    /** Fetches the keys over HTTP, without following redirects. */
    static Source at(URI uri) {
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(PATIENCE)
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(PATIENCE)
                .header("Accept", "application/jwk-set+json, application/json")
                .build();
        return () -> {
            HttpResponse<String> answer = client.send(
                    request, HttpResponse.BodyHandlers.limiting(HttpResponse.BodyHandlers.ofString(), MAX_BYTES));
            if (answer.statusCode() != 200) throw new IOException("the response was " + answer.statusCode());
            return answer.body();
        };
    }

    /** Returns the keys that may have signed the token, according to its header. */
    Flux<JWK> candidates(SignedJWT token) {
        return current()
                .flatMapIterable(keys -> matching(token, keys))
                .switchIfEmpty(Flux.defer(() -> asked().flatMapIterable(keys -> matching(token, keys))));
    }

    private static List<JWK> matching(SignedJWT token, JWKSet keys) {
        return new JWKSelector(JWKMatcher.forJWSHeader(token.getHeader())).select(keys);
    }

    private Mono<JWKSet> current() {
        synchronized (this) {
            JWKSet keys = held;
            if (keys != null && nanoClock.getAsLong() - lastTry < OLD.toNanos()) return Mono.just(keys);
        }
        return asked();
    }

    private synchronized Mono<JWKSet> asked() {
        if (underWay != null) return underWay;
        long now = nanoClock.getAsLong();
        JWKSet keys = held;
        if (tried && now - lastTry < BETWEEN_ATTEMPTS.toNanos()) return keys == null ? unavailable() : Mono.just(keys);
        tried = true;
        lastTry = now;
        Mono<JWKSet> asking = Mono.fromCallable(source::read)
                .timeout(PATIENCE.multipliedBy(2))
                .subscribeOn(Schedulers.boundedElastic())
                .flatMap(PublishedKeys::parsed)
                .doOnNext(this::hold)
                .onErrorResume(this::without)
                .cache();
        underWay = asking;
        return asking;
    }

    private static Mono<JWKSet> parsed(String json) {
        try {
            return Mono.just(JWKSet.parse(json));
        } catch (ParseException notKeys) {
            return Mono.error(new IOException("the response is not a set of keys"));
        }
    }

    private synchronized void hold(JWKSet keys) {
        held = keys;
        lastHad = nanoClock.getAsLong();
        underWay = null;
    }

    /** Returns the number of failed attempts to fetch the keys. */
    long failures() {
        return failures.sum();
    }

    /** Returns the age of the keys in seconds; 0 if there are none yet. Keys are fetched only when tokens arrive. */
    synchronized double ageSeconds() {
        return held == null ? 0 : (nanoClock.getAsLong() - lastHad) / 1e9;
    }

    private synchronized Mono<JWKSet> without(Throwable failure) {
        failures.increment();
        logger.warn("Could not fetch the issuer's keys: {}", failure.toString());
        underWay = null;
        JWKSet keys = held;
        return keys == null ? unavailable() : Mono.just(keys);
    }

    private static Mono<JWKSet> unavailable() {
        return Mono.error(new TokenRejected(Reason.KEYS_UNAVAILABLE, "the issuer's keys are unavailable"));
    }
}
