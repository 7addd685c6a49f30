/** The room log on RabbitMQ streams over AMQP 0-9-1: one connection publishes, one reads, both are watched. */
@NullMarked
package chat.log.rabbit;

import org.jspecify.annotations.NullMarked;
