package chat.server.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Reads the token that this server sends to the consumer. The file is read again periodically, so that a renewed token
 * takes effect without a restart. Thread-safe; does not block.
 */
public final class TokenFile {
    private static final Logger logger = LoggerFactory.getLogger(TokenFile.class);
    private static final long MAX_BYTES = 16 * 1024;
    private static final Duration GOOD_FOR = Duration.ofSeconds(5);

    private final Path file;
    private final LongSupplier nanoClock;
    private volatile @Nullable Held held;
    private volatile boolean missing;

    private record Held(String token, long readAt) {}

    public TokenFile(Path file, LongSupplier nanoClock) {
        this.file = file;
        this.nanoClock = nanoClock;
    }

    /** Returns the current token; fails if the file cannot be read. */
    Mono<String> current() {
        Held now = held;
        if (now != null && nanoClock.getAsLong() - now.readAt() < GOOD_FOR.toNanos()) return Mono.just(now.token());
        return Mono.fromCallable(this::read)
                .doOnNext(unused -> missing = false)
                .doOnError(this::warnOnce)
                .subscribeOn(Schedulers.boundedElastic());
    }

    private void warnOnce(Throwable failure) {
        if (!missing)
            logger.warn("cannot read the token for the consumer: no history available: {}", failure.toString());
        missing = true;
    }

    private String read() throws IOException {
        if (Files.size(file) > MAX_BYTES) throw new IOException(file + " is too long for a token");
        String token = Files.readString(file).strip();
        held = new Held(token, nanoClock.getAsLong());
        return token;
    }
}
