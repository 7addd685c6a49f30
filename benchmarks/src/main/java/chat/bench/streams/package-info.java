/** Reads RabbitMQ streams by AMQP 0-9-1 and by the stream protocol, and tells what each entry costs. */
@NullMarked
package chat.bench.streams;

import org.jspecify.annotations.NullMarked;
