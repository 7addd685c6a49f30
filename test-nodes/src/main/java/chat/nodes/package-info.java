/** Real RabbitMQ, PostgreSQL and HAProxy servers as child processes: started, stopped, paused and killed by process id. */
@NullMarked
package chat.nodes;

import org.jspecify.annotations.NullMarked;
