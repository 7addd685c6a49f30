package chat.persistence;

/**
 * Path of the consumer's health endpoint; an application in which {@code /health} is taken defines a bean with another.
 *
 * @param value beginning with /
 */
public record HealthPath(String value) {
    static final HealthPath DEFAULT = new HealthPath("/health");
}
