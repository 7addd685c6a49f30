package chat.server.history;

import io.netty.handler.timeout.ReadTimeoutException;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Why the consumer has not told what it was asked for. */
public enum HistoryFailure {
    /** The file with the own token can't be read. */
    TOKEN,
    /** It was not its turn for too long. */
    WAITED,
    /** There is no connection, or it was lost. */
    UNREACHABLE,
    /** There was no answer in time. */
    TIMEOUT,
    /** The consumer answered that it can't tell now. */
    UNAVAILABLE,
    /** The consumer answered that it does not tell this server. */
    REFUSED,
    /** The answer was longer than is read. */
    TOO_LARGE,
    /** The answer was none. */
    MALFORMED;

    /** What happened to a question; frameworks wrap what they throw. */
    static HistoryFailure of(Throwable failure) {
        HistoryFailure found = MALFORMED;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case ReadTimeoutException unused -> {
                    return TIMEOUT;
                }
                // Of the pool of connections, whose own class is nobody else's; of an answer it is the one above.
                case TimeoutException unused -> {
                    return WAITED;
                }
                case DataBufferLimitException unused -> {
                    return TOO_LARGE;
                }
                case WebClientRequestException unused -> found = UNREACHABLE;
                case WebClientResponseException answer -> {
                    if (answer.getStatusCode().is5xxServerError()) found = UNAVAILABLE;
                    else if (answer.getStatusCode().is4xxClientError()) found = REFUSED;
                }
                default -> {}
            }
        }
        return found;
    }
}
