package chat.load;

import chat.load.dialect.Dialects;
import chat.load.driver.ServerUrl;
import chat.load.plan.Arrivals.Stages.Stage;
import chat.load.plan.WarmUp;
import java.net.URI;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts option values. Each converter names the accepted format in its error. */
final class OptionTypes {
    static final URI NO_HISTORY = URI.create("none");

    private static final Pattern TIME = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h)?");

    /** @param perSecond 0 if the server announces the limit */
    record Limit(double perSecond) {}

    private OptionTypes() {}

    static void register(CommandLine line) {
        line.registerConverter(ServerUrl.class, explained(ServerUrl::parse));
        line.registerConverter(Duration.class, explained(OptionTypes::duration));
        line.registerConverter(Stage.class, explained(OptionTypes::stage));
        line.registerConverter(WarmUp.class, explained(WarmUp::parse));
        line.registerConverter(Limit.class, explained(OptionTypes::limit));
        line.registerConverter(URI.class, explained(OptionTypes::history));
        line.setCaseInsensitiveEnumValuesAllowed(true);
    }

    private static <T> ITypeConverter<T> explained(ITypeConverter<T> converter) {
        return value -> {
            try {
                return converter.convert(value);
            } catch (IllegalArgumentException wrong) {
                throw new TypeConversionException(String.valueOf(wrong.getMessage()));
            }
        };
    }

    /** Accepts {@code 500ms}, {@code 30s}, {@code 5m} and {@code 1h}; a bare number is in seconds. */
    static Duration duration(String text) {
        Matcher time = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!time.matches())
            throw new IllegalArgumentException("a time is given as 500ms, 30s, 5m or 1h, not '" + text + "'");
        double amount = Double.parseDouble(time.group(1));
        String unit = time.group(2) == null ? "s" : time.group(2);
        double seconds = switch (unit) {
            case "ms" -> amount / 1000;
            case "m" -> amount * 60;
            case "h" -> amount * 3600;
            default -> amount;
        };
        if (seconds > 1e7) throw new IllegalArgumentException("a time of " + text + " is too long");
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }

    private static Stage stage(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length == 2 && parts[1].matches("\\d{1,7}"))
            return new Stage(duration(parts[0]), Integer.parseInt(parts[1]));
        throw new IllegalArgumentException("a stage is given as TIME:N, such as 30s:1000, not '" + text + "'");
    }

    private static Limit limit(String text) {
        if (text.equals("announced")) return new Limit(0);
        try {
            double perSecond = Double.parseDouble(text);
            if (perSecond > 0 && perSecond < 1e9) return new Limit(perSecond);
        } catch (NumberFormatException notANumber) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                "a limit is messages per second above 0, or 'announced', not '" + text + "'");
    }

    private static URI history(String text) {
        if (text.equals("none")) return NO_HISTORY;
        try {
            URI uri = URI.create(text);
            String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
            if ((scheme.equals("http") || scheme.equals("https")) && uri.getHost() != null) return uri;
        } catch (IllegalArgumentException notAUri) {
            // Reported below.
        }
        throw new IllegalArgumentException("history is given as http://host:port or none, not " + text);
    }

    /** Accepts {@code 10%} and {@code 0.1}. Instantiated by picocli. */
    static final class Share implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            boolean percent = text.endsWith("%");
            try {
                return percent
                        ? Double.parseDouble(text.substring(0, text.length() - 1)) / 100
                        : Double.parseDouble(text);
            } catch (NumberFormatException notANumber) {
                throw new TypeConversionException("a share is given as 10% or 0.1, not '" + text + "'");
            }
        }
    }

    /** Instantiated by picocli. */
    static final class Drivers implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Dialects.names().iterator();
        }
    }
}
