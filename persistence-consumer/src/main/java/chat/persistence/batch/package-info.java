/** Groups log entries by size or age, isolates rows that the database rejects, and paces retries. */
@NullMarked
package chat.persistence.batch;

import org.jspecify.annotations.NullMarked;
