/** Measures ways to insert messages into PostgreSQL, and how fast the whole consumer drains a backlog. */
@NullMarked
package chat.bench.writing;

import org.jspecify.annotations.NullMarked;
