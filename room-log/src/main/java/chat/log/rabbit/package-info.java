/** The room log on RabbitMQ streams over AMQP 0-9-1, with one connection for publishing and one for reading. */
@NullMarked
package chat.log.rabbit;

import org.jspecify.annotations.NullMarked;
