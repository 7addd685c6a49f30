package chat.kit.web;

import java.util.Set;
import org.springframework.http.HttpMethod;

/**
 * Describes a path that is not served by a router function.
 *
 * @param pattern path pattern, as in router functions
 * @param everybody whether pages of all origins may read the responses
 */
public record KnownPath(String pattern, Set<HttpMethod> methods, boolean everybody) {}
