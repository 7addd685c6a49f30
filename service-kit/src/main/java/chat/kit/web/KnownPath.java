package chat.kit.web;

import java.util.Set;
import org.springframework.http.HttpMethod;

/**
 * A path that something else than a router function answers.
 *
 * @param pattern as in router functions
 * @param everybody whether pages of all origins may read the answers
 */
public record KnownPath(String pattern, Set<HttpMethod> methods, boolean everybody) {}
