package chat.server.history;

import io.netty.handler.timeout.ReadTimeoutException;
import java.util.concurrent.TimeoutException;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Reasons why a request to the consumer for history failed. */
public enum HistoryFailure {
    /** The file with this server's token cannot be read. */
    TOKEN,
    /** The request waited too long for a free connection. */
    WAITED,
    /** The connection could not be opened, or was lost. */
    UNREACHABLE,
    /** The consumer did not respond in time. */
    TIMEOUT,
    /** The consumer responded with a server error (5xx). */
    UNAVAILABLE,
    /** The consumer rejected the request (4xx). */
    REFUSED,
    /** The response exceeds the size limit. */
    TOO_LARGE,
    /** The response cannot be parsed. */
    MALFORMED;

    /** Classifies the failure of a request, also if a framework has wrapped the exception. */
    static HistoryFailure of(Throwable failure) {
        HistoryFailure found = MALFORMED;
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case ReadTimeoutException unused -> {
                    return TIMEOUT;
                }
                // The connection pool's timeout; a response timeout is a ReadTimeoutException.
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
