/** Measures the cost of reading RabbitMQ streams over AMQP 0-9-1 and over the stream protocol. */
@NullMarked
package chat.bench.streams;

import org.jspecify.annotations.NullMarked;
