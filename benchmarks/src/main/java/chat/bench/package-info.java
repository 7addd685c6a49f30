/** Implements {@code ./bench}: JMH benchmarks of the message path, and measurements of RabbitMQ and PostgreSQL. */
@NullMarked
package chat.bench;

import org.jspecify.annotations.NullMarked;
