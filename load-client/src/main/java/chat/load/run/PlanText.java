package chat.load.run;

import chat.load.dialect.Dialect;
import chat.load.plan.Arrivals;
import chat.load.plan.Crowd;
import chat.load.plan.Guests;
import chat.load.plan.Numbering;
import chat.load.plan.Pacing;
import chat.load.plan.Placement;
import chat.load.plan.Plan;
import chat.load.plan.Traffic;
import chat.load.report.RunPlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Describes a plan as text and JSON for reports. */
final class PlanText {
    private PlanText() {}

    static RunPlan of(Plan plan, Dialect dialect, int servers) {
        Numbering numbering = plan.numbering();
        String size = String.format(Locale.ROOT, "%,d rooms x %,d users x ", numbering.rooms(), numbering.users());
        String headline = size
                + (plan.sendsAll()
                        ? String.format(
                                Locale.ROOT, "%,d messages = %,d TEXTs", numbering.messages(), numbering.total())
                        : String.format(Locale.ROOT, "up to %,d messages", numbering.messages()));
        return new RunPlan(plan.scenario(), headline, settings(plan, dialect, servers), tree(plan, dialect, servers));
    }

    private static List<RunPlan.Setting> settings(Plan plan, Dialect dialect, int servers) {
        Traffic traffic = plan.traffic();
        List<RunPlan.Setting> settings = new ArrayList<>();
        if (!dialect.name().equals("confab")) settings.add(new RunPlan.Setting("driver", dialect.name()));
        settings.add(
                switch (plan.sends()) {
                    case Pacing.Window window -> new RunPlan.Setting("window", Integer.toString(window.size()));
                    case Pacing.Rate rate ->
                        new RunPlan.Setting("rate", String.format(Locale.ROOT, "%,.0f/s", rate.perSecond()));
                });
        settings.add(new RunPlan.Setting("payload", Integer.toString(traffic.payload())));
        if (servers > 1) settings.add(new RunPlan.Setting("placement", placement(plan)));
        if (plan.roomsPerClient() > 1)
            settings.add(new RunPlan.Setting("rooms per client", Integer.toString(plan.roomsPerClient())));
        Duration duration = plan.duration();
        if (duration != null) settings.add(new RunPlan.Setting("duration", seconds(duration)));
        settings.add(
                switch (plan.arrivals()) {
                    case Arrivals.Ramp ramp ->
                        new RunPlan.Setting(
                                "connects",
                                String.format(
                                        Locale.ROOT, "%,.0f/s", ramp.rate().perSecond()));
                    case Arrivals.Stages stages ->
                        new RunPlan.Setting(
                                "stages",
                                stages.stages().stream()
                                        .map(stage -> seconds(stage.length()) + " to " + stage.target())
                                        .collect(Collectors.joining(", ")));
                });
        if (plan.guests().kind() != Guests.Kind.NONE)
            settings.add(new RunPlan.Setting(
                    plan.guests().kind().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    Integer.toString(plan.guests().count())));
        Crowd crowd = plan.crowd();
        if (crowd != null)
            settings.add(new RunPlan.Setting(
                    "crowd",
                    String.format(
                            Locale.ROOT,
                            "%,d after %s for %s",
                            crowd.clients(),
                            seconds(crowd.after()),
                            seconds(crowd.length()))));
        if (traffic.texts() > 0) settings.add(new RunPlan.Setting("texts", Integer.toString(traffic.texts())));
        if (traffic.turnover() > 0) settings.add(new RunPlan.Setting("turnover", Double.toString(traffic.turnover())));
        if (traffic.duplicates() > 0)
            settings.add(new RunPlan.Setting(
                    "duplicates", String.format(Locale.ROOT, "%.1f %%", 100 * traffic.duplicates())));
        settings.add(new RunPlan.Setting("seed", Long.toString(plan.seed())));
        return settings;
    }

    private static ObjectNode tree(Plan plan, Dialect dialect, int servers) {
        Numbering numbering = plan.numbering();
        ObjectNode tree = JsonMapper.shared()
                .createObjectNode()
                .put("scenario", plan.scenario())
                .put("driver", dialect.name())
                .put("servers", servers)
                .put("rooms", numbering.rooms())
                .put("users", numbering.users())
                .put("messages", numbering.messages())
                .put("texts", numbering.total())
                .put("roomsPerClient", plan.roomsPerClient())
                .put("payload", plan.traffic().payload())
                .put("pool", plan.traffic().texts())
                .put("numberedRooms", plan.traffic().numberedRooms());
        var promises = tree.putArray("promises");
        for (Dialect.Feature feature : Dialect.Feature.values()) {
            if (dialect.features().contains(feature))
                promises.add(feature.name().toLowerCase(Locale.ROOT).replace('_', ' '));
        }
        switch (plan.sends()) {
            case Pacing.Window window -> tree.put("window", window.size());
            case Pacing.Rate rate -> tree.put("ratePerSecond", rate.perSecond());
        }
        switch (plan.arrivals()) {
            case Arrivals.Ramp ramp -> tree.put("connectsPerSecond", ramp.rate().perSecond());
            case Arrivals.Stages stages -> {
                var list = tree.putArray("stages");
                for (Arrivals.Stages.Stage stage : stages.stages())
                    list.addObject()
                            .put("seconds", stage.length().toMillis() / 1000.0)
                            .put("target", stage.target());
            }
        }
        Guests guests = plan.guests();
        if (guests.kind() != Guests.Kind.NONE)
            tree.putObject("guests")
                    .put("kind", guests.kind().name().toLowerCase(Locale.ROOT))
                    .put("count", guests.count())
                    .put("perSecond", guests.perSecond())
                    .put("staySeconds", guests.stay().toMillis() / 1000.0)
                    .put("withinSeconds", guests.within().toMillis() / 1000.0);
        Crowd crowd = plan.crowd();
        if (crowd != null)
            tree.putObject("crowd")
                    .put("clients", crowd.clients())
                    .put("afterSeconds", crowd.after().toMillis() / 1000.0)
                    .put("seconds", crowd.length().toMillis() / 1000.0)
                    .put("keeps", crowd.keeps())
                    .put("recoversSeconds", crowd.recovers().toMillis() / 1000.0);
        Duration duration = plan.duration();
        if (duration != null) tree.put("durationSeconds", duration.toMillis() / 1000.0);
        Plan.Limit limit = plan.limit();
        if (limit != null)
            tree.putObject("limit")
                    .put("perSecond", limit.perSecond())
                    .put("burst", limit.burst())
                    .put("shared", limit.shared())
                    .put("pending", limit.pending());
        if (plan.placement() == Placement.PARTITION) tree.put("partitions", plan.partitions());
        return tree.put("turnover", plan.traffic().turnover())
                .put("duplicates", plan.traffic().duplicates())
                .put("retries", plan.retries())
                .put("placement", plan.placement().name().toLowerCase(Locale.ROOT))
                .put("seed", plan.seed())
                .put("timeoutSeconds", plan.timeout().toSeconds());
    }

    private static String placement(Plan plan) {
        String name = plan.placement().name().toLowerCase(Locale.ROOT);
        return plan.placement() == Placement.PARTITION ? name + " of " + plan.partitions() : name;
    }

    private static String seconds(Duration duration) {
        double seconds = duration.toMillis() / 1000.0;
        return seconds == Math.rint(seconds) ? (long) seconds + " s" : seconds + " s";
    }
}
