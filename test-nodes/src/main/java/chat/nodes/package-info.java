/** Runs real RabbitMQ, PostgreSQL and HAProxy servers as child processes: starts, stops, pauses and kills them. */
@NullMarked
package chat.nodes;

import org.jspecify.annotations.NullMarked;
