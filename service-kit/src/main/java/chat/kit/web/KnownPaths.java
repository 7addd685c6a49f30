package chat.kit.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;
import org.springframework.web.reactive.function.server.HandlerFunction;
import org.springframework.web.reactive.function.server.RequestPredicate;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Mono;

/**
 * Lists the paths that a program serves and their methods, from its router functions. Ignores fallback routes, which
 * have no path or no method.
 */
public final class KnownPaths {
    private record Known(PathPattern pattern, Set<HttpMethod> methods, boolean everybody) {}

    private final List<Known> paths = new ArrayList<>();

    KnownPaths(Collection<? extends RouterFunction<?>> routes, Collection<KnownPath> others) {
        Routes read = new Routes();
        routes.forEach(route -> route.accept(read));
        read.methods.forEach((pattern, methods) -> add(pattern, methods, false));
        others.forEach(other -> add(other.pattern(), other.methods(), other.everybody()));
    }

    private void add(String pattern, Set<HttpMethod> methods, boolean everybody) {
        Set<HttpMethod> all = new LinkedHashSet<>(methods);
        if (all.contains(HttpMethod.GET)) all.add(HttpMethod.HEAD);
        all.add(HttpMethod.OPTIONS);
        paths.add(new Known(PathPatternParser.defaultInstance.parse(pattern), all, everybody));
    }

    /** Patterns with their methods, including HEAD and OPTIONS. */
    public Map<String, Set<HttpMethod>> methods() {
        Map<String, Set<HttpMethod>> methods = new LinkedHashMap<>();
        paths.forEach(known -> methods.put(known.pattern().getPatternString(), known.methods()));
        return methods;
    }

    /** Returns the methods of this path; empty if it is unknown. */
    Set<HttpMethod> methods(PathContainer path) {
        Set<HttpMethod> methods = new LinkedHashSet<>();
        for (Known known : paths) if (known.pattern().matches(path)) methods.addAll(known.methods());
        return methods;
    }

    boolean isForEverybody(PathContainer path) {
        return paths.stream()
                .anyMatch(known -> known.everybody() && known.pattern().matches(path));
    }

    /** Collects the paths and methods of all routes. */
    private static final class Routes implements RouterFunctions.Visitor {
        final Map<String, Set<HttpMethod>> methods = new LinkedHashMap<>();

        @Override
        public void route(RequestPredicate predicate, HandlerFunction<?> handler) {
            OneRoute route = new OneRoute();
            predicate.accept(route);
            if (route.path != null && !route.methods.isEmpty())
                methods.computeIfAbsent(route.path, unused -> new LinkedHashSet<>())
                        .addAll(route.methods);
        }

        @Override
        public void startNested(RequestPredicate predicate) {
            throw new IllegalStateException("routes are not nested: " + predicate);
        }

        @Override
        public void endNested(RequestPredicate predicate) {}

        @Override
        public void resources(Function<ServerRequest, Mono<Resource>> lookup) {}

        @Override
        public void attributes(Map<String, Object> attributes) {}

        @Override
        public void unknown(RouterFunction<?> route) {}
    }

    /** Collects path and methods of one route, whose predicates are combined with AND. */
    private static final class OneRoute implements RequestPredicates.Visitor {
        @Nullable
        String path;

        Set<HttpMethod> methods = Set.of();

        @Override
        public void method(Set<HttpMethod> some) {
            methods = some;
        }

        @Override
        public void path(String pattern) {
            path = pattern;
        }

        @Override
        @SuppressWarnings("removal") // abstract until it is removed
        public void pathExtension(String extension) {}

        @Override
        public void header(String name, String value) {}

        @Override
        public void queryParam(String name, String value) {}

        @Override
        public void version(String version) {}

        @Override
        public void startAnd() {}

        @Override
        public void and() {}

        @Override
        public void endAnd() {}

        @Override
        public void startOr() {}

        @Override
        public void or() {}

        @Override
        public void endOr() {}

        @Override
        public void startNegate() {}

        @Override
        public void endNegate() {}

        @Override
        public void unknown(RequestPredicate predicate) {}
    }
}
