package chat.persistence;

import chat.persistence.rollup.CheckReport;
import chat.persistence.rollup.Rollups;
import java.sql.SQLException;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * {@code POST /actuator/rollupcheck}: compares the materialized views with all messages. It is on the management port
 * because it reads the whole table. Runs one check at a time.
 */
@Endpoint(id = "rollupcheck")
final class RollupCheckEndpoint {
    private final Rollups rollups;

    RollupCheckEndpoint(Rollups rollups) {
        this.rollups = rollups;
    }

    @WriteOperation
    WebEndpointResponse<Object> check() {
        try {
            CheckReport report = rollups.check();
            return new WebEndpointResponse<>(report);
        } catch (Rollups.Busy busy) {
            return refused(409, busy);
        } catch (SQLException failed) {
            return refused(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, failed);
        }
    }

    private static WebEndpointResponse<Object> refused(int status, Exception reason) {
        return new WebEndpointResponse<>(
                Map.of("status", status, "detail", String.valueOf(reason.getMessage())), status);
    }
}
