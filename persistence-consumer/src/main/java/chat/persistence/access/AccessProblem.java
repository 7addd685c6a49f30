package chat.persistence.access;

import chat.kit.identity.token.TokenSecurity;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import tools.jackson.core.io.JsonStringEncoder;

/** Writes the {@code application/problem+json} response of a rejected request. Never repeats any part of a token. */
final class AccessProblem {
    private AccessProblem() {}

    private static String detail(HttpStatus status) {
        return switch (status) {
            case BAD_REQUEST -> "the URL contains a token; send it in the header Authorization: Bearer";
            case UNAUTHORIZED -> "a valid token is required in the header Authorization: Bearer";
            case FORBIDDEN -> "the token does not allow this";
            default -> "tokens cannot be verified at the moment";
        };
    }

    static Mono<ServerResponse> response(HttpStatus status) {
        ServerResponse.BodyBuilder response = ServerResponse.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .header(HttpHeaders.CACHE_CONTROL, "no-store");
        if (status == HttpStatus.UNAUTHORIZED)
            response = response.header(HttpHeaders.WWW_AUTHENTICATE, TokenSecurity.CHALLENGE);
        return response.bodyValue(ProblemDetail.forStatusAndDetail(status, detail(status)));
    }

    /** The same before a route has been matched. */
    static Mono<Void> write(ServerHttpResponse response, HttpStatus status) {
        return write(response, status, null);
    }

    /** @param why what is wrong with the token; null: no token was sent, or nothing is wrong with it */
    static Mono<Void> write(ServerHttpResponse response, HttpStatus status, @Nullable String why) {
        StringBuilder json = new StringBuilder("{\"title\":\"")
                .append(status.getReasonPhrase())
                .append("\",\"status\":")
                .append(status.value())
                .append(",\"detail\":\"");
        JsonStringEncoder.getInstance().quoteAsString(why == null ? detail(status) : detail(status) + ": " + why, json);
        byte[] body = json.append("\"}").toString().getBytes(StandardCharsets.UTF_8);
        response.setStatusCode(status);
        HttpHeaders headers = response.getHeaders();
        headers.setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        headers.setContentLength(body.length);
        headers.setCacheControl("no-store");
        if (status == HttpStatus.UNAUTHORIZED) headers.set(HttpHeaders.WWW_AUTHENTICATE, TokenSecurity.CHALLENGE);
        if (status == HttpStatus.SERVICE_UNAVAILABLE) headers.set(HttpHeaders.RETRY_AFTER, "5");
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }
}
