package chat.kit.web;

import chat.kit.admission.KnownHosts;
import chat.kit.admission.SocketRoute;
import chat.kit.admission.StrictRequests;
import chat.kit.identity.token.IdentitySettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.function.server.support.RouterFunctionMapping;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;

/** Installs the filters before all routes of a program and of its management port. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(WebSettings.class)
public class HttpConfiguration {
    @Bean
    StrictRequests strictRequests() {
        return new StrictRequests();
    }

    /**
     * If the public port requires tokens, a page that pretends to be from this host cannot send one. The management
     * port requires none.
     */
    @Bean
    KnownHosts knownHosts(ApplicationContext context, WebSettings settings, IdentitySettings identity) {
        boolean all = settings.allowedHosts().isEmpty() && !identity.isOpen();
        return new KnownHosts(
                settings.allowedHosts(), exchange -> all && context.equals(exchange.getApplicationContext()));
    }

    @Bean
    @Lazy
    KnownPaths knownPaths(ObjectProvider<RouterFunction<?>> routes, ObjectProvider<KnownPath> others) {
        return new KnownPaths(routes.orderedStream().toList(), others.stream().toList());
    }

    @Bean
    NettyServerCustomizer noFoldedHeaders() {
        return server -> server.doOnChannelInit((observer, channel, remote) -> {
            if (channel.pipeline().get(NettyPipeline.HttpCodec) != null)
                channel.pipeline().addBefore(NettyPipeline.HttpCodec, "folded", new FoldedHeaders());
        });
    }

    /** After all routes, and before Spring Boot's own handlers for library files and error pages. */
    @Bean
    RouterFunctionMapping nothingElse() {
        RouterFunctionMapping mapping = new RouterFunctionMapping(
                RouterFunctions.route(RequestPredicates.all(), request -> HttpConfiguration.notFound()));
        mapping.setOrder(0);
        return mapping;
    }

    private static Mono<ServerResponse> notFound() {
        return ServerResponse.status(HttpStatus.NOT_FOUND)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .bodyValue(ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "there is nothing at this path"));
    }

    @Bean
    MethodRules methodRules(
            ApplicationContext context,
            ObjectProvider<KnownPaths> paths,
            WebSettings settings,
            ObjectProvider<SocketRoute> sockets) {
        return new MethodRules(
                context,
                paths::getObject,
                new CrossOrigin(settings.corsOrigins()),
                sockets.getIfAvailable(SocketRoute::none));
    }

    @Bean
    JsonCompression jsonCompression() {
        return new JsonCompression();
    }
}
