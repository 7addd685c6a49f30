/** Inserts messages in several ways, and drains a backlog through the whole consumer, on a PostgreSQL of its own. */
@NullMarked
package chat.bench.writing;

import org.jspecify.annotations.NullMarked;
