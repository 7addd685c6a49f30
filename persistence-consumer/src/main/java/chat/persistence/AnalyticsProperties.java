package chat.persistence;

import chat.persistence.analytics.QueryRoutes.CacheSettings;
import chat.persistence.rollup.RollupSettings;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the analytics; {@code persistence-consumer.yml} shows the defaults.
 *
 * @param fold time between two updates of the roll-ups
 * @param refresh time between two refreshes of the materialized views
 * @param cache cache of responses about activity
 */
@ConfigurationProperties("chat.analytics")
record AnalyticsProperties(
        @DefaultValue("2s") Duration fold,
        @DefaultValue("1m") Duration refresh,
        @DefaultValue Cache cache) {
    AnalyticsProperties {
        RollupSettings unusedRollups = new RollupSettings(fold, refresh);
        CacheSettings unusedCache = new CacheSettings(cache.age());
    }

    /** @param age maximum age of a cached response about activity, at most 1 hour; 0s: no cache */
    record Cache(@DefaultValue("5s") Duration age) {}

    RollupSettings rollups() {
        return new RollupSettings(fold, refresh);
    }

    CacheSettings answers() {
        return new CacheSettings(cache.age());
    }
}
