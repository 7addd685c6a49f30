package chat.kit.management.start;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.env.Environment;

/** Logs at startup on which addresses a program listens; by default the public port listens on all. */
public final class ListenReport implements ApplicationListener<ApplicationStartedEvent> {
    private static final Logger logger = LoggerFactory.getLogger(ListenReport.class);

    private final String variable;

    /** @param variable environment variable that limits the public port to one address */
    public ListenReport(String variable) {
        this.variable = variable;
    }

    @Override
    public void onApplicationEvent(ApplicationStartedEvent event) {
        logger.info(line(event.getApplicationContext().getEnvironment()));
    }

    String line(Environment environment) {
        String address = environment.getProperty("server.address", "");
        boolean all = address.isEmpty() || address.equals("0.0.0.0") || address.equals("::");
        return "Listening on port " + environment.getProperty("local.server.port") + " of "
                + (all ? "all addresses (" + variable + " limits that)" : address) + "; management on port "
                + environment.getProperty("local.management.port") + " of " + managementAddress(environment, address);
    }

    private static String managementAddress(Environment environment, String publicAddress) {
        String address = environment.getProperty("management.server.address", publicAddress);
        return address.isEmpty() || address.equals("0.0.0.0") || address.equals("::") ? "all addresses" : address;
    }
}
