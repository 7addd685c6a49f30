package chat.kit.management.http;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.util.unit.DataSize;

/** Limits the management port separately, so that clients that fill the public port do not block metrics. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
public class HttpManagementConfiguration {
    private static final HttpSettings SETTINGS = new HttpSettings(256, DataSize.ofMegabytes(32));

    @Bean
    WebServerFactoryCustomizer<NettyReactiveWebServerFactory> managementConnections() {
        HttpConnections connections = new HttpConnections(SETTINGS);
        return factory -> factory.addServerCustomizers(connections);
    }
}
