package chat.kit.identity.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import chat.kit.identity.token.TokenRejected.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;

class ShownTokenTest {
    private static final String PROTOCOLS = "Sec-WebSocket-Protocol";

    @Test
    void tokenIsReadFromHeaderOrSubprotocols() throws Exception {
        assertThat(ShownToken.of(MockServerHttpRequest.get("/chat/a")
                        .header("Authorization", "bearer abc")
                        .build()))
                .isEqualTo("abc");
        assertThat(ShownToken.of(MockServerHttpRequest.get("/chat/a")
                        .header(PROTOCOLS, "confab.v1, bearer.a.b.c")
                        .build()))
                .isEqualTo("a.b.c");
        assertThat(ShownToken.of(MockServerHttpRequest.get("/chat/a")
                        .header(PROTOCOLS, "confab.v1")
                        .build()))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"access_token=x", "a=1&Token=x", "x=eyJhbGciOiJFUzI1NiJ9.e30.c2ln", "jwt", "bearer="})
    void tokenInTheQueryIsRejected(String query) {
        assertThatExceptionOfType(TokenRejected.class)
                .isThrownBy(() -> ShownToken.of(
                        MockServerHttpRequest.get("/chat/a?" + query).build()))
                .returns(Reason.IN_QUERY, TokenRejected::reason);
    }

    @Test
    void twoTokensAreRejected() {
        assertThatExceptionOfType(TokenRejected.class)
                .isThrownBy(() -> ShownToken.of(MockServerHttpRequest.get("/chat/a")
                        .header("Authorization", "Bearer abc")
                        .header(PROTOCOLS, "bearer.def")
                        .build()))
                .returns(Reason.MALFORMED, TokenRejected::reason);
    }

    @Test
    void otherSchemeIsRejected() {
        assertThatExceptionOfType(TokenRejected.class)
                .isThrownBy(() -> ShownToken.of(MockServerHttpRequest.get("/chat/a")
                        .header("Authorization", "Basic YTpi")
                        .build()))
                .returns(Reason.MALFORMED, TokenRejected::reason);
    }
}
